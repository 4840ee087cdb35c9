# SPDX-License-Identifier: MIT
"""Random numbers of processes in clusters: each cluster's kernel is given bytes of its own, and each of its lives has others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import compile_program, toolchain
from manycores import KERNELS
from test_process_seed import DRAWN, DRAWS

pytestmark = pytest.mark.beside


@pytest.mark.parametrize(("board", "processor"), [("manycore", "riscv64"), ("manycore32", "riscv32")])
def test_no_cluster_draws_what_another_one_or_its_last_life_drew(running: Any, tmp_path: Path, board: str, processor: str) -> None:
    (tmp_path / "draws.c").write_text(DRAWS, encoding="utf-8")
    machine = MACHINES[processor]
    words = ["-O1", "-Wall", "-Werror", str(tmp_path / "draws.c"), "-o", str(tmp_path / "draws")]
    assert compile_program(words, toolchain(lambda _text: None, machine), machine) == 0
    draws = {"kind": "process", "program": str(tmp_path / "draws"), "memory": "64K"}
    clusters = {"c0": {"kind": "io", "domains": {"a": draws, "b": draws}}, "c1": {"domains": {"a": draws, "b": draws}}}
    system = {"system": "seed", "board": board, "kernel": KERNELS[board], "clusters": clusters, "kills": [{"cluster": "c1", "at": "1s"}]}
    drawn = []
    with running(system) as started:
        for name, times in (("c0", 2), ("c1", 4)):
            drawn += [started[name].expect(DRAWN, 60)[1] for _ in range(times)]
    pieces = {text[at : at + 16] for text in drawn for at in range(0, 80, 16)}
    assert len(pieces) == 30, drawn
