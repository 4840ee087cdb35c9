# SPDX-License-Identifier: MIT
"""Our small guests in ring 1 of a Pentium (guests/ring1): calls, exceptions, and one that does random things for several lives, beside
which the others compute on and the kernel says of nothing that it was its own fault."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from second import lets_into_virtual_8086_mode
from support import ended, listed, said

LIVES, LIVES_FULL = 12, 2000
SEED = r"hostile: seed [0-9a-f]+"
ASLEEP = 3  # seconds, of which a life has a few tenths and its watchdog as many
GUEST = {"memory": "16M", "autostart": False}


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    made = {
        "system": "ring1",
        "board": "i586-linux",
        "domains": {
            "hello": GUEST | {"kernel": "build:hello.elf", "cores": [0]},
            "calls": GUEST | {"kernel": "build:calls.elf", "cores": [0]},
            "traps": GUEST | {"kernel": "build:traps.elf", "cores": [1]},
            "hostile": GUEST | {"kernel": "build:hostile.elf", "cores": [1], "restart": ["reset", "fault"], "watchdog": "300ms"},
            "exception": GUEST | {"kernel": "build:vm86.elf", "memory": "8M", "cores": [0]},
            "round": GUEST | {"kernel": "build:vm86.elf", "memory": "8M", "cores": [0], "cmdline": "round"},
            "ports": GUEST | {"kernel": "build:vm86.elf", "memory": "8M", "cores": [0], "cmdline": "ports"},
            "jacobi": {"kind": "task", "task": "jacobi", "cores": [1]},
            "threads": {
                **{"kind": "process", "program": "build:threads.elf", "arguments": ["threads", "4", "1000"]},
                **{"threads": 5, "memory": "256K", "cores": [0, 1]},
            },
        },
    }
    with boot_module(made) as board:
        await_monitor(board)
        for name in ("jacobi", "threads"):
            said(board, "kernel", f"domain {name}: done")
        yield board


def test_a_guest_says_from_which_ring_it_does(board: Board) -> None:
    assert ended(board, "hello") == "power-off: the guest powered off"
    said(board, "hello", "hello from ring 1")


def test_each_call_answers_as_its_manual_says_and_no_argument_is_believed(board: Board) -> None:
    assert ended(board, "calls", 120) == "power-off: the guest powered off"
    said(board, "calls", r"calls: 36 right, 0 wrong")


def test_each_exception_comes_with_its_vector_error_and_ring(board: Board) -> None:
    assert ended(board, "traps", 120) == "power-off: the guest powered off"
    said(board, "traps", r"traps: 94 right, 0 wrong")


def interrupted(board: Board, name: str) -> str:
    """ended() for what waits for any interrupt of the kernel's: its console's at each letter of `list`."""
    start = len(board.kernel.text)
    command(board, f"start {name}")
    deadline = time.monotonic() + 60
    while listed(board, name)["state"] != "stopped" and time.monotonic() < deadline:
        time.sleep(0.05)
    board.kernel.seek(start)
    return board.kernel.expect(rf"domain {name}: (.*?)\r*\n")[1]


@pytest.mark.parametrize(
    ("how", "end"), [("exception", "virtual 8086 mode, which it does not have"), ("round", "its registers cannot be loaded")]
)
def test_a_guest_that_an_emulator_lets_into_virtual_8086_mode_comes_to_no_ring_of_ours(board: Board, how: str, end: str) -> None:
    """With a selector of ring 0 as its code segment, by an exception and by an interrupt of the kernel's."""
    why = end if lets_into_virtual_8086_mode() else "triple fault: it has no handler"
    assert (interrupted if how == "round" else ended)(board, how) == f"fault: vcpu 0: {why}"
    said(board, how, "vm86: begin")
    assert ended(board, "hello") == "power-off: the guest powered off"
    assert "PANIC" not in board.kernel.text


def test_no_guest_comes_from_virtual_8086_mode_to_ring_1_with_ports(board: Board) -> None:
    """By the gate that needs no hypervisor, behind which IOPL would be the one that the guest chose."""
    assert ended(board, "ports", 60) == "power-off: the guest powered off"
    said(board, "ports", "vm86: IOPL 0")


@pytest.mark.timeout(0)
def test_random_guests_end_themselves_only(board: Board, full: bool) -> None:
    """Guests of both cores' others go on; each life ends by a fault of its own, its watchdog or its last step."""
    lives = LIVES_FULL if full else LIVES
    command(board, "start hostile")
    console = board["hostile"]
    console.seek(0)
    for _ in range(lives):
        try:
            console.expect(SEED, ASLEEP)
        except ConsoleError:  # it has halted where nothing wakes it, which is no fault
            assert " blocked " in command(board, "stats hostile")
            command(board, "restart hostile")
            console.expect(SEED, 120)
    command(board, "stop hostile")
    assert int(listed(board, "hostile")["restarts"]) >= lives - 1
    assert ended(board, "threads", 120) == "done: exit status 0"
    start = len(board["jacobi"].text)
    assert ended(board, "jacobi", 120) == "done"
    assert re.search(r"bench jacobi error-e9-0 0\r*\n", board["jacobi"].text[start:])
    assert ended(board, "traps", 120) == "power-off: the guest powered off"
    assert not re.search(r"FAULT|PANIC|panic", board.kernel.text)
