# SPDX-License-Identifier: MIT
"""The SCC with a host thread for each core, in real time: a start-up interrupt or a bell that is lost leaves a kernel out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.build.kernel import build_kernel
from support import said


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


def test_48_kernels_come_up_and_answer_while_all_run_at_once(boot: Any) -> None:
    with boot("scc") as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        for core in (1, 24, 47):
            command(board, f"mail {core} 20", 60)
            said(board, "kernel", rf"mail to core {core} and back, 20 times by either: at least \d+ ticks")
