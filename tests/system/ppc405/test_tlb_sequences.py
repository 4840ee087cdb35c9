# SPDX-License-Identifier: MIT
"""Sequences of TLB instructions: as on the bare board, one by one and as the calls that pre-virtualization makes of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.beside

SUMS = r"tlbseq: \d+ sum [0-9a-f]{8}"


def system(seed: int, damage: int = 0, rounds: int = 4000, **fields: Any) -> dict[str, Any]:
    guest = {
        "kernel": "build:tlbseq.elf",
        "memory": "16M",
        "cmdline": f"rounds={rounds} seed={seed} damage={damage}",
        "power": "board",
    } | fields
    return {"system": f"tlbseq-{seed}-{rounds}", "board": "ref405ep", "domains": {"guest": guest}}


def sums(board: Any) -> list[str]:
    board.expect("tlbseq: done", 120)
    found = re.findall(SUMS, board.text)
    assert len(found) == 4
    return found


def hosted(fleet: Callable[..., Any], system: dict[str, Any], **how: Any) -> list[str]:
    with fleet(system, **how) as board:
        return sums(board["guest"])


@pytest.mark.board
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_sees_what_it_sees_on_the_bare_board(fleet: Callable[..., Any], native: Callable[..., Any], seed: int) -> None:
    with native(system(seed)) as board:
        bare = sums(board.console)
    assert hosted(fleet, system(seed)) == bare
    assert hosted(fleet, system(seed, previrt=True)) == bare
    assert hosted(fleet, system(seed, previrt=True, memory="12M")) == bare, "memory that no large page shows"
    assert hosted(fleet, system(seed, damage=1000, previrt=True))[1:] != bare[1:], "the control: a sum is seen to differ"


@pytest.mark.board
def test_no_shadow_outlives_its_entry(fleet: Callable[..., Any], native: Callable[..., Any]) -> None:
    """Of a page of all PIDs, shown in the space of any: it takes many rounds until one is used again behind its end."""
    with native(system(1, rounds=40000)) as board:
        bare = sums(board.console)
    assert hosted(fleet, system(1, rounds=40000, previrt=True)) == bare


@pytest.mark.board
def test_the_same_without_the_short_ways(fleet: Callable[..., Any], without_fast: Path) -> None:
    slow = hosted(fleet, system(1, previrt=True), kernel=without_fast)
    assert slow == hosted(fleet, system(1, previrt=True))
