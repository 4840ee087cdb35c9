# SPDX-License-Identifier: MIT
"""Watchdogs of processes, on boards of 64 and of 32 bits. Instructions are the clock, so times are short."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command, health
from support import ended, listed, said, settled

pytestmark = pytest.mark.beside
WATCHED = ("sleeps", "spins", "gone")  # of tests/programs/watchdog.c: what a process does that kicks no more
MS = 40
WATCHDOG = {"kind": "process", "program": "build:watchdog.elf", "memory": "128K", "threads": 2, "cores": [0, 1], "autostart": False}
SYSTEM = {
    "cores": 2,
    "domains": {
        **{f"w-{what}": WATCHDOG | {"arguments": ["watchdog", what], "watchdog": f"{MS}ms", "restart": ["fault"]} for what in WATCHED},
        "w-once": WATCHDOG | {"watchdog": f"{MS}ms"},
        "w-long": WATCHDOG | {"watchdog": "60s"},
        "w-none": WATCHDOG,
    },
}


@pytest.fixture(scope="module", params=["q35", "virt", "i586"])
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    with boot_module({"system": f"watched-{request.param}", "board": request.param} | SYSTEM, icount=True) as board:
        await_monitor(board)
        yield board


def health_of(board: Board, name: str) -> dict[str, str | int]:
    return next(row for row in health(command(board, "health")) if row["name"] == name)


@pytest.mark.parametrize("what", WATCHED)
def test_a_process_that_kicks_no_more_is_ended_and_restarted(board: Board, what: str) -> None:
    """It lives while it kicks, which is longer than its time; the second life is as the first one."""
    command(board, f"start w-{what}")
    said(board, f"w-{what}", rf"kicks, then it {what}\r*\n[^,]*kicks, then it {what}", 20)
    said(board, "kernel", f"domain w-{what}: watchdog: no kick for {MS} ms")
    command(board, f"stop w-{what}")
    assert int(listed(board, f"w-{what}")["restarts"]) >= 1


def test_without_a_restart_it_stays_ended_and_its_health_failed(board: Board) -> None:
    assert health_of(board, "w-once") == {"name": "w-once", "health": "stopped", "watchdog_ms": MS, "left_ms": MS}
    assert ended(board, "w-once") == f"watchdog: no kick for {MS} ms"
    assert health_of(board, "w-once")["health"] == "failed"
    row = settled(board, "w-once")
    assert (row["state"], row["restarts"]) == ("stopped", "0")


def test_health_says_how_much_time_is_left(board: Board) -> None:
    command(board, "start w-long")
    row = health_of(board, "w-long")
    assert (row["health"], row["watchdog_ms"]) == ("good" if int(row["left_ms"]) >= 30000 else "late", 60000)
    assert 0 < int(row["left_ms"]) <= 60000
    command(board, "stop w-long")
    assert health_of(board, "w-long")["health"] == "stopped"


def test_who_has_no_watchdog_may_not_kick_it(board: Board) -> None:
    assert ended(board, "w-none") == "done: exit status 0"
    said(board, "w-none", "watchdog: none, right")
    assert health_of(board, "w-none") == {"name": "w-none", "health": "stopped", "watchdog_ms": 0, "left_ms": 0}


def test_health_is_told_as_json(one_board: None, tmp_path: Path) -> None:
    system = tmp_path / "watched.yaml"
    system.write_text(yaml.safe_dump({"system": "watched", "board": "q35"} | SYSTEM), encoding="utf-8")
    lines = ["--command", "start w-long", "--command", "health", "--json"]
    done = subprocess.run([sys.executable, paths.ROOT / "amalgam", "monitor", system, *lines], capture_output=True, text=True, check=True)
    rows = {row["name"]: row for row in json.loads(done.stdout)["health"]}
    assert rows["w-long"]["health"] == "good" and 30000 <= rows["w-long"]["left_ms"] <= 60000
    assert rows["w-once"] == {"name": "w-once", "health": "stopped", "watchdog_ms": MS, "left_ms": MS}
