# SPDX-License-Identifier: MIT
"""The RISC-V kernel under OpenSBI, on QEMU's virt and on Spike: harts, alarms, doorbells, windows, traps, power."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from second import SPIKE
from support import after, listed, said


@pytest.fixture(scope="session", autouse=True)
def virt() -> Path:
    return build_kernel("virt", lambda _text: None)


@pytest.fixture(scope="module", params=SPIKE)
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    with boot_module("virt", icount=True, emulator=request.param) as board:
        yield board


def test_all_harts_are_up_and_know_the_time(board: Board) -> None:
    said(board, "kernel", r"time: 10000 kHz, alarm by stimecmp")
    said(board, "kernel", r"Amalgam, 3 cores, \d+ MiB free, loaded by SBI")
    assert re.findall(r"cpu (\d) online", command(board, "cpus")) == ["0", "1", "2"]


def test_tasks_compute_in_windows_and_without(board: Board) -> None:
    """Floating point survives the switches at window edges: all three take the same steps to the same solution."""
    steps = {said(board, name, r"bench jacobi iterations-0 (\d+)")[1] for name in ("jacobi", "jacobi2", "jacobi3")}
    assert len(steps) == 1
    for name in ("jacobi", "jacobi2", "jacobi3"):
        assert int(said(board, name, r"bench jacobi error-e9-0 (\d+)")[1]) < 1000
        said(board, "kernel", f"domain {name}: done")
    edges = re.search(r"frame 10000 us, 4 segments, (\d+) window edges", command(board, "cpus"))
    assert edges and int(edges[1]) > 10


def test_a_task_on_another_hart_is_started_by_its_doorbell(board: Board) -> None:
    said(board, "kernel", "domain jacobi: done")
    after(board, "start jacobi", "kernel", "domain jacobi: done", 120)
    assert listed(board, "jacobi")["end"].startswith("done")
