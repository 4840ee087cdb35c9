# SPDX-License-Identifier: MIT
"""A run of a process ends while others use what it shares with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from rcce_process import line
from support import said
from test_svm_processes import compiled, process

ENDS = {  # how, on which cores, what the kernel of the first one says, and what two barriers of the other run return
    "fault": ([1, 12], "fault: thread 0: page fault", "-110, then -110"),
    "barrier": ([2, 13], "watchdog: no kick for 700 ms", "0, then -110"),  # it had come to the first one
    "exit": ([3, 14], "done: exit status 0", "-110, then -110"),
    "loop": ([4, 15], "watchdog: no kick for 700 ms", "-110, then -110"),
}


@pytest.mark.timeout(0)
def test_a_run_that_ends_leaves_data_or_an_error_and_no_hang(boot: Any, tmp_path: Path) -> None:
    """It owned two pages, and the others wait for it in a barrier."""
    ends = compiled("ends", tmp_path)
    domains = {how: process(ends, cores, "8K", how) | {"watchdog": "700ms"} for how, (cores, *_said) in ENDS.items()}
    chosen = sorted({0, *(core for cores, *_said in ENDS.values() for core in cores)})
    with boot({"system": "svm-ends", "board": "scc", "domains": domains}, icount=True, chosen=chosen) as board:
        for how, ((first, second), end, barriers) in ENDS.items():
            said(board, "kernel", rf"core {first}: .*domain {how}: {end}")
            said(board, *line(second, how, f"ends: {how}: found 123 and 123; barrier {barriers}"))
        assert re.search(rf"{len(chosen)} of {CORES} kernels run", command(board, "kernels", 60))
        assert not re.search("FAULT|PANIC", board.kernel.text)
