# SPDX-License-Identifier: MIT
"""Pages that the runs of a process share, under the coherence checker: no report as it is, and one for what the program leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.board.scc import SHARED_AT
from amalgam.measure import coherence
from rcce_process import line
from support import said
from test_svm_caches import END, LINES, WORDS

CORES, ROUNDS = [0, 5, 30, 47], 4


def checked(boot: Any, out: Path, program: str, cores: list[int], *arguments: str, **keys: str) -> Any:
    """A board that runs a process on these cores."""
    domain = {
        "kind": "process",
        "program": f"build:{program}.elf",
        "shared": "4K",
        "ues": cores,
        "arguments": [program, *arguments],
        **keys,
    }
    made = {"system": "svm-process", "board": "scc", "domains": {program: domain}}
    flags = (f"flag={WORDS:x}:{LINES:x}", f"flag={SHARED_AT + 0x160000:x}:{SHARED_AT + 0x161000:x}")  # the last: `shared`
    words = coherence.options(out, "line=32", f"mpbt={LINES:x}:{END:x}", *flags)
    return boot(made, icount=True, chosen=cores, extra=words)


def run(boot: Any, out: Path, cores: list[int], *arguments: str) -> coherence.Coherence:
    """user/programs/svm.c on these cores, which all say `wrong`."""
    with checked(boot, out, "svm", cores, *arguments, memory="512K", svm="1M") as board:
        for rank, core in enumerate(cores):
            said(board, *line(core, "svm", rf"svm: rank {rank} of {len(cores)}: 0 wrong"))
    return coherence.read(out)


def test_nothing_is_reported_of_processes_that_count_and_compute(boot: Any, tmp_path: Path) -> None:
    """On strong and on lazy pages and by twins, by barriers, locks, acquire and release, and while a region is read-only."""
    found = run(boot, tmp_path / "coherence", CORES, str(ROUNDS))
    assert found.kinds() == {}
    assert found.accesses > 2 * ROUNDS * len(CORES) * 2 * 1022 * 5


@pytest.mark.parametrize(("without", "kind"), [("release", "unflushed"), ("acquire", "stale")])
def test_what_a_process_leaves_out_is_reported(boot: Any, tmp_path: Path, without: str, kind: str) -> None:
    """The emulator's memory is coherent, so its result is right all the same."""
    assert kind in run(boot, tmp_path / "coherence", [0, 47], "3", without).kinds()


@pytest.mark.parametrize("model", ["lazy", "strong"])
@pytest.mark.parametrize("what", [("apps",), ("jacobi", "40", "62")], ids=["apps", "jacobi"])
def test_nothing_is_reported_of_parallel_programs(boot: Any, tmp_path: Path, model: str, what: tuple[str, ...]) -> None:
    """bench/scc/programs/pages.c, with pauses by chance."""
    out = tmp_path / "coherence"
    with checked(boot, out, "pages", CORES[:3], model, "3", *what, memory="2M", svm="4M") as board:
        said(board, "pages", "pages: done", 300)
    found = coherence.read(out)
    assert found.kinds() == {}
    assert found.accesses > 10000
