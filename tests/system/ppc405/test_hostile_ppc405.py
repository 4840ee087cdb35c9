# SPDX-License-Identifier: MIT
"""A guest that does everything it should not changes nothing for its neighbour: results, registers, memory, windows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory

SEED, KIB = 7, 64
SHIFT = 3  # an instruction is 8 ns
STEPS = r"hostile: life=(\d+) step=(\d+)"
ROUND = r"checksum: round=(\d+) sum=([0-9a-f]+) holes=(\d+) longest=(\d+) us own longest=(\d+) us"


def sums() -> Iterator[str]:
    """What checksum.c computes in each round, by a second implementation."""
    mask, state, area = 0xFFFFFFFF, SEED, []
    for _ in range(KIB * 256):
        state ^= state << 13 & mask
        state ^= state >> 17
        state ^= state << 5 & mask
        area.append(state)
    total = SEED
    while True:
        for i, value in enumerate(area):
            total = (total << 7 & mask | total >> 25) ^ value
            area[i] = total + i & mask
        yield f"{total:08x}"


def expected(rounds: int) -> str:
    return next(islice(sums(), rounds - 1, None))


def system(seed: int, hostile_ms: int = 10, good_ms: int = 10, report: int = 1, patience: int = 2) -> dict[str, Any]:
    """The windows of both; the neighbour says its sum each `report` rounds; `patience` is the attacker's watchdog's."""
    hostile = {
        "kernel": "build:hostile.elf",
        "memory": "4M",
        "cmdline": f"seed={seed} patience={patience} report=25",
        "hypercalls": True,
        "irfm": True,
        "health": {"fault": "ignore", "reset": "restart", "overrun": "ignore"},
        "restarts": "unlimited",
    }
    good = {"kernel": "build:checksum.elf", "memory": "2M", "cmdline": f"seed={SEED} report={report} kib={KIB}"}
    windows = [
        {"domain": "hostile", "start": 0, "length": f"{hostile_ms}ms"},
        {"domain": "good", "start": f"{hostile_ms}ms", "length": f"{good_ms}ms"},
    ]
    frames = [{"core": 0, "length": f"{hostile_ms + good_ms}ms", "windows": windows}]
    return {
        "system": f"hostile-{seed}",
        "board": "ref405ep",
        "domains": {"hostile": hostile, "good": good},
        "frames": frames,
    }


class Steps:
    """Steps of all lives, counted as they are reported; what was not reported does not count."""

    def __init__(self, board: FleetBoard):
        self.console = board["hostile"]
        self.lives: dict[int, int] = {}
        self.seen = 0

    def total(self) -> int:
        text = self.console.text
        for found in re.finditer(STEPS + "\r*\n", text[self.seen :]):
            self.lives[int(found[1])] = max(self.lives.get(int(found[1]), 0), int(found[2]))
        self.seen = text.rfind("\n") + 1
        return sum(self.lives.values())


def run_until(board: FleetBoard, wanted: int, patience: float) -> None:
    """An emulator that ends is an error that shows its last words (FleetBoard.ended)."""
    steps = Steps(board)
    while steps.total() < wanted:
        steps.console.seek(steps.seen)
        steps.console.expect(STEPS, patience)
        time.sleep(0.1)


def judge(board: FleetBoard, hostile_ms: int = 10, good_ms: int = 10, report: int = 1) -> None:
    neighbour = board["good"]
    neighbour.expect(ROUND, 60)
    assert "somebody else" not in neighbour.text
    rows = re.findall(ROUND, neighbour.text)
    assert [int(row[0]) for row in rows] == list(range(report, report * len(rows) + 1, report)), "it was started again, or lost a line"
    some = min(len(rows), max(1, 40 // report))
    assert rows[some - 1][1] == expected(some * report)
    # No window is longer than it should be, for the hostile guest or for the neighbour: of the other's the best line, because the host of a
    # test has other work too (test_windows_ppc405 looks at each, by counted instructions).
    away, own = sorted(int(row[3]) for row in rows), sorted(int(row[4]) for row in rows)
    assert away[0] < (hostile_ms + 10) * 1000
    assert own[len(own) // 2] <= good_ms * 1000 * 1.1


@pytest.mark.board
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.full)])
def test_hostile_guest_changes_nothing(fleet: Callable[..., Any], seed: int) -> None:
    """By counted instructions, so that no host is too busy for a watchdog of 6 ms: one of 100 ms was where most of the time went."""
    with fleet(system(seed, patience=1), icount=True, shift=SHIFT) as board:
        run_until(board, 5000, 60)
        judge(board)


@pytest.mark.board
@pytest.mark.full
@pytest.mark.timeout(3 * 3600)
def test_hostile_guest_changes_nothing_in_a_million_steps(fleet: Callable[..., Any]) -> None:
    share = {"hostile_ms": 20, "good_ms": 5, "report": 64}
    with fleet(system(3, **share)) as board:
        run_until(board, 1_000_000, 300)
        judge(board, **share)


def test_a_foreign_write_would_be_noticed(fleet: Callable[..., Any]) -> None:
    """The neighbour's memory is changed from outside: its sum must go wrong, in a round that was not over before."""
    with fleet(system(1)) as board:
        board["good"].expect(ROUND, 60)
        vm = Memory(board).vm("good")["base"]
        for offset in range(0x100100, 0x101100, 0x100):  # one alone may come between its reading and writing of just that word
            board.ram[vm + offset] ^= 1
        board["good"].seek(0)
        for number, right in enumerate(islice(sums(), 2000), 1):  # how far it was when the change reached it is the host's affair
            row = board["good"].expect(ROUND, 60)
            assert int(row[1]) == number
            if row[2] != right:
                return
        pytest.fail("two thousand rounds, and each sum is as if nobody had written")
