# SPDX-License-Identifier: MIT
"""Processes on RISC-V: they run and end, and what one does wrong ends that one only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from second import SPIKE
from support import after, ended, listed, said, with_faults

WRONG = {  # of user/programs/fault.c
    "null": r"store page fault at image\+[0-9a-f]+, address 0",
    "text": r"store page fault at image\+[0-9a-f]+, address 10000[0-9a-f]+",
    "jump": r"fetch page fault at \S+, address 0",
    "privileged": r"illegal instruction at image\+[0-9a-f]+, address 0",
    "breakpoint": r"breakpoint at image\+[0-9a-f]+, address 0",
    "abort": r"(illegal instruction|breakpoint) at image\+[0-9a-f]+, address 0",
}

LOST = {  # of user/programs/maps.c: a thread's memory, by one on another hart; its stack's end
    "taken": r"store page fault at image\+[0-9a-f]+, address 1400000000|load page fault at image\+[0-9a-f]+, address 1400000000",
    "sealed": r"store page fault at image\+[0-9a-f]+, address 1400000000",
    "overflow": r"store page fault at image\+[0-9a-f]+, address \w+f\w\w",
}


@pytest.fixture(scope="module", params=SPIKE)
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    with boot_module(with_faults("virt-processes", WRONG, LOST), icount=True, emulator=request.param) as board:
        yield board


def test_hello_and_threads_on_two_harts(board: Board) -> None:
    said(board, "hello", r"argv\[2\] = the world\r*\nenvironment: LANG=C\r*\nenvironment: HOME=/\r*\npi is about 3\.141593\r*\n")
    said(board, "threads", r"threads: 4 counted to 4000, the queue's sum is 500500, wrong 0\r*\nthreads: right\r*\n")
    for name in ("hello", "threads"):
        said(board, "kernel", f"domain {name}: done: exit status 0")


def test_memory_by_the_page(board: Board) -> None:
    """Each argument rightly and wrongly, what another hart loses, all pages there and back."""
    said(board, "maps", r"maps: right, \d+ pages\r*\n")
    said(board, "kernel", "domain maps: done: exit status 0")


def test_two_programs_talk_over_a_tunnel(board: Board) -> None:
    said(board, "ping", r"tunnel: right after 1000 rounds")


def test_what_a_withdrawn_tunnel_showed_is_gone_on_the_other_hart(board: Board) -> None:
    said(board, "lost", "tunnel: here")
    after(board, "withdraw lost", "lost", "tunnel: gone")
    after(board, "grant lost", "lost", "tunnel: back")
    end = after(board, "withdraw lost", "kernel", r"domain lost: (.*?)\r*\n")[1]
    assert re.fullmatch(r"fault: thread 0: (load|store) page fault at image\+[0-9a-f]+, address 1fff100000", end), end


@pytest.mark.parametrize("what", LOST)
def test_what_a_thread_has_no_more_it_faults_on(board: Board, what: str) -> None:
    end = ended(board, f"m-{what}")
    assert re.fullmatch(rf"fault: thread 1: ({LOST[what]})", end), end


@pytest.mark.parametrize("what", WRONG)
def test_a_fault_ends_its_process_only(board: Board, what: str) -> None:
    said(board, "kernel", "domain jacobi: done")
    end = ended(board, f"f-{what}")
    assert re.fullmatch(rf"fault: thread 0: {WRONG[what]}", end), end
    assert listed(board, f"f-{what}")["end"] == end
    assert "still here" not in board[f"f-{what}"].text
    assert ended(board, "hello") == "done: exit status 0"
