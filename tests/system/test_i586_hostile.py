# SPDX-License-Identifier: MIT
"""A process of 32 bits does its worst (tests/programs/hostile.c): segments, stacks, flags, gates and exceptions of the x87 of its choice.
Programs beside it compute on, and the kernel answers. 10,000 calls and 16 lives; with --full 1,000,000 and 200."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor
from second import lets_into_virtual_8086_mode
from support import after, ended, free, listed, said, settled, stop

THREADS = 64
LIVES, LIVES_FULL = 16, 200  # at least a third of them end by themselves
LIFE = 3  # s; one that jumped to anywhere may wait for ever, or go round


@pytest.fixture(scope="module")
def board(boot_module: Any, full: bool) -> Iterator[Board]:
    hostile = {"kind": "process", "program": "build:hostile.elf", "memory": "256K", "threads": THREADS, "cores": [1, 0], "autostart": False}
    threads = {"kind": "process", "program": "build:threads.elf", "threads": 5, "memory": "256K", "cores": [0, 1]}
    steps = str(1_000_000 if full else 10_000)
    made = {
        "system": "i586-hostile",
        "board": "i586",
        "domains": {
            "calls": hostile | {"arguments": ["hostile", steps]},
            "deadly": hostile | {"arguments": ["hostile", steps, "deadly"]},
            "threads": threads | {"arguments": ["threads", "4", "1000"]},
            "pong": {"kind": "process", "program": "build:tunnel.elf", "arguments": ["tunnel", "pong"], "memory": "64K", "cores": [0]},
            "return": {
                "kind": "process",
                "program": "build:fault.elf",
                "arguments": ["fault", "return"],
                "memory": "64K",
                "autostart": False,
            },
            "jacobi": {"kind": "task", "task": "jacobi", "cores": [1]},
        },
        "channels": [{"name": name, "between": [name, "pong"], "size": "4K"} for name in ("calls", "deadly")],
    }
    with boot_module(made) as board:
        await_monitor(board)
        for name in ("jacobi", "threads"):
            said(board, "kernel", f"domain {name}: done")
        yield board


def unharmed(board: Board) -> None:
    """The others compute as before, the x87 too, and the kernel has said of nothing that it was its own fault."""
    assert ended(board, "threads", 120) == "done: exit status 0"
    start = len(board["jacobi"].text)
    assert ended(board, "jacobi", 120) == "done"
    assert re.search(r"bench jacobi error-e9-0 0\r*\n", board["jacobi"].text[start:])
    assert listed(board, "pong")["state"] == "running"
    assert not re.search(r"FAULT|PANIC", board.kernel.text)


@pytest.mark.timeout(0)
def test_no_call_of_a_hostile_process_harms_anybody(board: Board, full: bool) -> None:
    after(board, "start calls", "calls", "hostile: done", 7200 if full else 300)
    unharmed(board)


def end_of_a_life(board: Board) -> str:
    """How it ended; what does not end is the monitor's to stop."""
    try:
        how = after(board, "start deadly", "kernel", "domain deadly: (fault|done): ", LIFE)[1]
    except ConsoleError:
        stop(board, "deadly")
        return "stopped"
    settled(board, "deadly")
    return how


def test_a_process_that_an_emulator_lets_into_virtual_8086_mode_ends(board: Board) -> None:
    """With the kernel's selectors in its segments, one of which lies where the kernel looks from which ring it was entered."""
    why = "page fault at 0" if lets_into_virtual_8086_mode() else r"general protection at image\+[0-9a-f]+"
    assert re.fullmatch(rf"fault: thread 0: {why}, address [0-9a-f]+", ended(board, "return"))
    unharmed(board)


@pytest.mark.timeout(0)
def test_what_is_deadly_ends_its_process_only_and_no_page_is_lost(board: Board, full: bool) -> None:
    lives = LIVES_FULL if full else LIVES
    ends = [end_of_a_life(board)]
    before = free(board)  # its threads' stacks are kept for the next life
    ends += [end_of_a_life(board) for _ in range(lives - 1)]
    assert ends.count("fault") > lives / 3, ends
    assert free(board) == before
    unharmed(board)
