# SPDX-License-Identifier: MIT
"""Our small guests in ring 1 of a Pentium (guests/ring1): calls and exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor
from support import ended, said

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
        },
    }
    with boot_module(made) as board:
        await_monitor(board)
        yield board


def test_a_guest_says_from_which_ring_it_does(board: Board) -> None:
    assert ended(board, "hello") == "power-off: the guest powered off"
    said(board, "hello", "hello from ring 1")


def test_each_call_answers_as_its_manual_says_and_no_argument_is_believed(board: Board) -> None:
    assert ended(board, "calls", 120) == "power-off: the guest powered off"
    said(board, "calls", r"calls: 34 right, 0 wrong")


def test_each_exception_comes_with_its_vector_error_and_ring(board: Board) -> None:
    assert ended(board, "traps", 120) == "power-off: the guest powered off"
    said(board, "traps", r"traps: 57 right, 0 wrong")
