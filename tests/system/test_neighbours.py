# SPDX-License-Identifier: MIT
"""A guest reaches its own memory and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor
from support import ended, said


@pytest.fixture(scope="module")
def neighbours(boot_module: Any) -> Iterator[Board]:
    with boot_module("neighbours") as board:
        await_monitor(board)
        yield board


def test_memory_beyond_the_guests_own_reads_as_ones(neighbours: Board) -> None:
    ended(neighbours, "beyond")
    assert said(neighbours, "beyond", r"crash: beyond read ([0-9a-f]+)")[1] == "f" * 16
    said(neighbours, "beyond", "crash: still here")


def test_code_beyond_the_guests_own_memory_is_no_code(neighbours: Board) -> None:
    """Two bytes of ones are an undefined instruction: the guest's own handler gets the exception."""
    ended(neighbours, "code")
    said(neighbours, "code", r"exception 6 error=0 rip=40000000 ")


def test_two_guests_at_the_same_addresses_do_not_meet(neighbours: Board) -> None:
    one, two = (said(neighbours, name, r"checksum: done sum=([0-9a-f]{16})")[1] for name in ("one", "two"))
    assert one == two
