# SPDX-License-Identifier: MIT
"""A core's registers for interrupts of others: who is masked leaves a bit and is heard later; without LINT0 nobody rings (docs/scc.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.errors import UserError
from support import said

CHOSEN = (0, 5, 17)
ALONE = 0.9  # seconds; a receiver whom nobody interrupts looks for an answer after one


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    first = {"jacobi": {"kind": "task", "task": "svm", "cores": [0]}}
    with boot_module({"system": "scc-gic", "board": "scc", "domains": first}, icount=True, chosen=CHOSEN) as board:
        for core in CHOSEN:
            said(board, "kernel", f"core {core}: .*domain jacobi: done" if core else "^domain jacobi: done")
        yield board


def seconds(board: Board, core: int) -> float:
    """The time of a message to a core and back, by interrupts."""
    khz = int(said(board, "kernel", r"time: TSC (\d+) kHz")[1])
    found = re.search(r"by interrupt: at least (\d+) ticks", command(board, f"mail {core} 1"))
    assert found
    return int(found[1]) / khz / 1000


def words(board: Board, core: int) -> str:
    return command(board, f"gic {core}").strip()


def test_each_core_says_where_it_is_and_that_nobody_is_masked(board: Board) -> None:
    for core, tile in ((0, "0,0"), (5, "2,0"), (17, "2,1")):
        assert words(board, core) == f"core {core}: tile at {tile}; status 0, mask 0, configuration 1"


def test_who_is_masked_does_not_ring_and_is_seen_when_it_is_wanted(board: Board) -> None:
    assert seconds(board, 17) < ALONE / 2
    command(board, "gic hold 17")
    assert seconds(board, 17) > ALONE
    assert words(board, 0) == "core 0: tile at 0,0; status 20000, mask 20000, configuration 1"
    assert seconds(board, 5) < ALONE / 2
    command(board, "gic pass 17")
    assert words(board, 0) == "core 0: tile at 0,0; status 0, mask 0, configuration 1"
    assert seconds(board, 17) < ALONE / 2


def test_without_its_pin_nobody_rings_a_core(board: Board) -> None:
    command(board, "gic off")
    assert seconds(board, 5) > ALONE
    assert words(board, 0) == "core 0: tile at 0,0; status 20, mask 0, configuration 0"
    command(board, "gic on")
    assert words(board, 0) == "core 0: tile at 0,0; status 0, mask 0, configuration 1"
    assert seconds(board, 5) < ALONE / 2


@pytest.mark.parametrize("line", ["gic", "gic 48", "gic hold", "gic pass x", "gic 5 6", "gic on 5"])
def test_wrong_words_are_refused(board: Board, line: str) -> None:
    with pytest.raises(UserError, match="gic: -22"):
        command(board, line)
