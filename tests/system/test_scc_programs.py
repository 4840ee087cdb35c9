# SPDX-License-Identifier: MIT
"""Native programs beside each other, each on cores of its own of the emulated SCC: none reaches another one's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import test_openmp
import test_rcce
from amalgam.artifacts.rcce import OPENMP
from amalgam.build.natives import toolchain
from support import said

CORES = {"first": (0, 5), "second": (17, 47), "works": (30, 46)}
ROUNDS = 60


def test_programs_beside_each_other_have_memory_of_their_own(boot: Any, tmp_path: Path) -> None:
    """Two on RCCE count in the same rounds; one on OpenMP clears its words, divides loops and takes locks meanwhile."""
    rcce = test_rcce.compiled(test_rcce.HERE / "beside.c", toolchain(lambda _text: None), tmp_path)
    openmp = test_openmp.compiled(test_openmp.HERE / "works.c", toolchain(lambda _text: None, OPENMP), tmp_path)
    made: dict[str, Any] = {"system": "beside", "board": "scc", "domains": {}}
    for number, name in enumerate(("first", "second"), 1):
        made["domains"] |= test_rcce.system(name, rcce, CORES[name], str(ROUNDS), str(100 * number))["domains"]
    made["domains"] |= test_openmp.system("works", openmp, CORES["works"])["domains"]
    with boot(made, icount=True, chosen=tuple(sorted(core for cores in CORES.values() for core in cores))) as board:
        for number, name in enumerate(("first", "second"), 1):
            for ue, core in enumerate(CORES[name]):
                test_rcce.lines(board, name, rf"UE {ue}: mark {number}00, counted {2 * ROUNDS} of {2 * ROUNDS}, 0 wrong", core)
        test_rcce.lines(board, "works", "works on 2 threads: 0 wrong", CORES["works"][0])
        for name, cores in CORES.items():
            for core in cores:
                said(board, "kernel", f"{f'core {core}: .*' if core else '^'}domain {name}: done: exit status 0")
