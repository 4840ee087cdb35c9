# SPDX-License-Identifier: MIT
"""The other policy, fixed.c: no windows, the most urgent partitions run."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from amalgam.board.fleet import FleetBoard
from amalgam.build.kernel import build_kernel
from guests405 import guest_elf

MARK = b"QUIET!!!"
WRAP = 1 << 32  # of the time base's low half


class Run(NamedTuple):
    """What a guest left behind in its memory (guests/ppc405/quiet)."""

    interrupts: int
    wrong: int
    begin: int
    end: int


@pytest.fixture(scope="module")
def fixed() -> Any:
    return build_kernel("ppc405-fixed", lambda _text: None)


def system(priorities: dict[str, int], ticks: int) -> dict[str, Any]:
    """One core; all that compete for it compute until their timer has ticked so often."""
    guest = {"kernel": str(guest_elf("quiet")), "memory": "1M", "power": "board", "cores": [0], "cmdline": f"ticks={ticks}"}
    domains = {name: {**guest, "priority": priority} for name, priority in priorities.items()}
    return {"system": "fixed", "board": "ref405ep", "cores": 1, "domains": domains}


def runs(board: FleetBoard) -> list[Run]:
    """In the order of the domains, whose memory lies in that order."""
    assert board.ram
    found, at = [], -1
    while (at := board.ram.find(MARK, at + 1)) >= 0:
        if at >= 0x01000000:  # the guests' memory; below it is the image
            found.append(Run(*struct.unpack_from(">4I", board.ram, at + len(MARK))))
    return found


def test_the_most_urgent_runs_until_it_ends(fleet: Callable[..., Any], fixed: Any) -> None:
    priorities = {"third": 4, "first": 28, "second": 16}
    with fleet(system(priorities, 20), kernel=fixed) as board:
        board.wait(60)
        made = dict(zip(priorities, runs(board), strict=True))
    assert all(run.interrupts == 20 and not run.wrong for run in made.values())
    order = [made[name] for name in ("first", "second", "third")]
    assert all((after.begin - before.end) % WRAP < WRAP // 2 for before, after in pairwise(order)), made


def test_equals_share_a_core_by_turns(fleet: Callable[..., Any], fixed: Any) -> None:
    """Each computes for longer than a slice of 10 ms, so each begins before any has ended."""
    with fleet(system({"a": 16, "b": 16, "c": 16}, 3000), kernel=fixed) as board:
        board.wait(60)
        made = runs(board)
    assert len(made) == 3
    assert all(run.interrupts == 3000 and not run.wrong for run in made)
    assert all((run.end - other.begin) % WRAP < WRAP // 2 for run in made for other in made), made
