# SPDX-License-Identifier: MIT
"""48 kernels on one emulated SCC: each comes up from the reset vector, in memory of its own, and core 0 prints for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES, own_memory
from amalgam.build.kernel import build_kernel
from support import said


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    with boot_module("scc", icount=True) as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        yield board


def test_48_kernels_come_up(board: Board) -> None:
    command(board, "kernels")
    rows = re.findall(r"^(?: +-?\d\d){12}\r?$", board.kernel.text, re.MULTILINE)[-4:]
    assert sorted(word for row in rows for word in row.split()) == [f"{core:02}" for core in range(CORES)]
    said(board, "kernel", rf"{CORES} of {CORES} kernels run")


def test_each_has_its_own_memory(board: Board) -> None:
    for core in range(1, CORES):
        said(board, "kernel", rf"core {core}: kernel {core} of {CORES}\s")
        said(board, "kernel", rf"core {core}: scc: tile {core // 2}, memory from {own_memory(core):x} of the board's")
        said(board, "kernel", rf"core {core}: boot: \d+ KiB of initialization text freed")


def test_a_message_goes_to_each_kernel_and_back(board: Board) -> None:
    for core in range(1, CORES):
        command(board, f"mail {core} 3")
        for how in ("interrupt", "polling", "either"):
            assert 0 < int(said(board, "kernel", rf"mail to core {core} and back, 3 times by {how}: at least (\d+) ticks")[1]) < 100_000


def test_core_0_has_the_serial_ports_and_runs_tasks(board: Board) -> None:
    command(board, "start jacobi")
    assert int(said(board, "jacobi", r"bench jacobi error-e9-0 (\d+)")[1]) < 1000
