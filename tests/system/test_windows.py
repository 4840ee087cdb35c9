# SPDX-License-Identifier: MIT
"""A guest gets its own time and no more, however busy the others are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from support import said, says

pytestmark = pytest.mark.beside


@pytest.fixture(scope="module")
def windows(boot_module: Any) -> Iterator[Board]:
    """By counted instructions: the host's pauses do not exist in this board's time."""
    with boot_module("windows", icount=True) as board:
        await_monitor(board)
        said(board, "rt", r"rt: run n=.*ns", 200)
        yield board


def times(board: Board, what: str) -> dict[str, int]:
    """The next report of the partition, in nanoseconds."""
    return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", says(board, "rt", rf"rt: {what} n=.*ns", 200)[0])}


def test_a_partition_never_gets_more_than_its_windows(windows: Board) -> None:
    run = times(windows, "run")
    assert 1_900_000 < run["min"] <= run["max"] < 2_010_000, run


def test_a_partition_is_never_kept_waiting_longer(windows: Board) -> None:
    gap = times(windows, "gap")
    assert 7_990_000 < gap["min"] <= gap["max"] < 8_100_000, gap


def test_a_busy_neighbour_gets_the_rest(windows: Board) -> None:
    """We ask after each of the partition's reports: who asks without a pause keeps the control console busy."""
    before, ran = runtimes(windows), {"rt": 0}
    while ran["rt"] < 200_000:  # a hundred frames
        times(windows, "run")
        ran = {name: now - before[name] for name, now in runtimes(windows).items()}
    total = sum(ran.values())
    assert 0.19 < ran["rt"] / total < 0.21, ran
    assert ran["busy"] + ran["monitor"] > 0.79 * total, ran
    assert ran["busy"] > 0.7 * total, ran


def test_a_core_that_is_busy_has_no_idle_time(windows: Board) -> None:
    """Between two looks; the time before the first guest ran is idle."""
    looks = []
    for _ in range(2):
        idle = re.search(r"^cpu 0 .* idle (\d+) us", command(windows, "cpus"), re.MULTILINE)
        assert idle
        looks.append((int(idle[1]), sum(runtimes(windows).values())))
        times(windows, "run")
    (idle_before, run_before), (idle_after, run_after) = looks
    assert run_after - run_before > 100_000
    assert idle_after - idle_before < (run_after - run_before) / 100, looks


def runtimes(board: Board) -> dict[str, int]:
    """Microseconds that each thread ran, at the same moment: by one command."""
    return {name: int(us) for name, us in re.findall(r"^(\w+)(?:/0)? .* (\d+) us", command(board, "stats"), re.MULTILINE)}
