# SPDX-License-Identifier: MIT
"""Processes on Pentiums of 32 bits: they run and end, and what one does wrong ends that one only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.board.board import Board
from amalgam.build.p54c import newer
from amalgam.build.programs import make_program
from second import BOCHS, SLOW
from support import after, ended, listed, said, with_faults

WRONG = {  # of user/programs/fault.c
    "null": r"page fault at image\+[0-9a-f]+, address 0",
    "text": r"page fault at image\+[0-9a-f]+, address c0001[0-9a-f]+",
    "jump": r"page fault at \S+, address 0",
    "privileged": r"general protection at image\+[0-9a-f]+, address 0",
    "abort": r"invalid opcode at image\+[0-9a-f]+, address 0",
}
LOST = {  # of user/programs/maps.c: a thread's memory, by one on another core; what may not be written; its stack's end
    "taken": r"page fault at image\+[0-9a-f]+, address d0000000",
    "sealed": r"page fault at image\+[0-9a-f]+, address d0000000",
    "overflow": r"page fault at image\+[0-9a-f]+, address c004\w{4}",
}
MACHINE = MACHINES["i386"]


@pytest.fixture(scope="module", params=BOCHS)
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    system = with_faults("i586-processes", WRONG, LOST)
    system["domains"]["large"] = system["domains"]["maps"] | {"program": "build:large.elf"}
    with boot_module(system, icount=True, emulator=request.param, **SLOW[request.param]) as board:
        yield board


def test_hello_and_threads_on_two_cores(board: Board) -> None:
    said(board, "hello", r"argv\[2\] = the world\r*\nenvironment: LANG=C\r*\nenvironment: HOME=/\r*\npi is about 3\.141593\r*\n")
    said(board, "threads", r"threads: 4 counted to 4000, the queue's sum is 500500, wrong 0\r*\nthreads: right\r*\n")
    for name in ("hello", "threads"):
        said(board, "kernel", f"domain {name}: done: exit status 0")


def test_memory_by_the_page(board: Board) -> None:
    """Each argument rightly and wrongly, what another core loses, all pages there and back."""
    said(board, "maps", r"maps: right, \d+ pages\r*\n")
    said(board, "kernel", "domain maps: done: exit status 0")


def test_large_pages_are_refused_by_an_error_of_their_own(board: Board) -> None:
    said(board, "large", r"large: there are none\r*\n")
    said(board, "kernel", "domain large: done: exit status 0")


def test_two_programs_talk_over_a_tunnel(board: Board) -> None:
    """`pong` waits for the next run of `ping` without a deadline, of 64 bits in two registers."""
    said(board, "ping", r"tunnel: right after 1000 rounds")
    said(board, "kernel", "domain ping: done")
    assert listed(board, "pong")["state"] == "running"
    start = len(board["ping"].text)
    assert ended(board, "ping", 120) == "done: exit status 0"
    assert "tunnel: right after 1000 rounds" in board["ping"].text[start:]
    assert listed(board, "pong")["state"] == "running"


def test_what_a_withdrawn_tunnel_showed_is_gone_on_the_other_core(board: Board) -> None:
    said(board, "lost", "tunnel: here")
    after(board, "withdraw lost", "lost", "tunnel: gone")
    after(board, "grant lost", "lost", "tunnel: back")
    end = after(board, "withdraw lost", "kernel", r"domain lost: (.*?)\r*\n")[1]
    assert re.fullmatch(r"fault: thread 0: page fault at image\+[0-9a-f]+, address df100000", end), end


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


def test_the_callers_of_a_fault_are_named(board: Board) -> None:
    """The frames of a program of 32 bits have words of 32."""
    after(board, "start f-null", "kernel", r"process f-null: thread 0: page fault[^[]*process f-null: called from image\+[0-9a-f]+\r*\n")


def test_programs_have_no_instruction_beyond_a_p54c() -> None:
    for name in ("hello", "threads", "maps", "tunnel", "hostile"):
        assert newer(make_program(name, lambda _text: None, MACHINE), 100) == []
