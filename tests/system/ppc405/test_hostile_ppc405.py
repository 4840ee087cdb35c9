# SPDX-License-Identifier: MIT
"""A guest that does everything it should not changes nothing for its neighbour: results, registers, memory, windows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from amalgam.board.fleet import FleetBoard

SEED, KIB, WINDOW_MS = 7, 64, 10
STEPS = r"hostile: life=(\d+) step=(\d+)"
ROUND = r"checksum: round=(\d+) sum=([0-9a-f]+) holes=(\d+) longest=(\d+) us own longest=(\d+) us"


def expected(rounds: int) -> str:
    """What checksum.c computes, by a second implementation."""
    mask, state, area = 0xFFFFFFFF, SEED, []
    for _ in range(KIB * 256):
        state ^= state << 13 & mask
        state ^= state >> 17
        state ^= state << 5 & mask
        area.append(state)
    total = SEED
    for _ in range(rounds):
        for i, value in enumerate(area):
            total = (total << 7 & mask | total >> 25) ^ value
            area[i] = total + i & mask
    return f"{total:08x}"


def system(seed: int, cores: int) -> dict[str, Any]:
    hostile = {
        "kernel": "build:hostile.elf",
        "memory": "4M",
        "cmdline": f"seed={seed}",
        "hypercalls": True,
        "irfm": True,
        "health": {"fault": "ignore", "reset": "restart", "overrun": "ignore"},
        "restarts": "unlimited",
    }
    good = {"kernel": "build:checksum.elf", "memory": "2M", "cmdline": f"seed={SEED} report=1 kib={KIB}"}
    windows = [{"domain": name, "start": f"{i * WINDOW_MS}ms", "length": f"{WINDOW_MS}ms"} for i, name in enumerate(("hostile", "good"))]
    frames = [{"core": 0, "length": f"{2 * WINDOW_MS}ms", "windows": windows}]
    return {
        "system": f"hostile-{seed}",
        "board": "ref405ep",
        "cores": cores,
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


def judge(board: FleetBoard) -> None:
    neighbour = board["good"]
    neighbour.expect(ROUND, 60)
    assert "somebody else" not in neighbour.text
    rows = re.findall(ROUND, neighbour.text)
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1)), "it was started again, or lost a line"
    some = min(len(rows), 40)
    assert rows[some - 1][1] == expected(some)
    # No window is longer than it should be, for the hostile guest or for the neighbour: the medians, because the host of a test has other work too.
    away, own = sorted(int(row[3]) for row in rows), sorted(int(row[4]) for row in rows)
    assert away[len(away) // 2] < 2 * WINDOW_MS * 1000
    assert own[len(own) // 2] <= WINDOW_MS * 1000 * 1.1


@pytest.mark.board
@pytest.mark.parametrize("seed", [1, 2])
def test_hostile_guest_changes_nothing(fleet: Callable[..., Any], seed: int) -> None:
    with fleet(system(seed, 1)) as board:
        run_until(board, 5000, 60)
        judge(board)


@pytest.mark.board
@pytest.mark.full
def test_hostile_guest_changes_nothing_in_a_million_steps(fleet: Callable[..., Any]) -> None:
    with fleet(system(3, 1)) as board:
        run_until(board, 1_000_000, 120)
        judge(board)


def test_a_foreign_write_would_be_noticed(fleet: Callable[..., Any]) -> None:
    """The neighbour's memory is changed from outside: its sum must go wrong."""
    with fleet(system(1, 1)) as board:
        board["good"].expect(ROUND, 60)
        vm = next(
            base for base in range(0x1000000, len(board.ram), 0x10000) if b"checksum: seed=" in board.ram[base + 0x10000 : base + 0x20000]
        )
        board.ram[vm + 0x100100] ^= 1
        count = len(re.findall(ROUND, board["good"].text))
        while len(re.findall(ROUND, board["good"].text)) < count + 3:
            board["good"].expect(ROUND, 60)
        rows = re.findall(ROUND, board["good"].text)
        assert rows[-1][1] != expected(len(rows))
