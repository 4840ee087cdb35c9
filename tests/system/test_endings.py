# SPDX-License-Identifier: MIT
"""Each way in which a guest ends, and the control console over it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.errors import UserError
from support import after, ended, listed, said, says, settled


@pytest.fixture(scope="module")
def endings(boot_module: Any) -> Iterator[Board]:
    with boot_module("endings") as board:
        await_monitor(board)
        said(board, "neighbour", r"checksum: round=64 ")
        yield board


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("off", "power-off: the guest powered off"),
        ("reset", "reset: reset control register"),
        ("triple", "triple fault: vcpu 0: triple fault"),
        ("other", "triple fault: vcpu 1: triple fault"),
        ("hang", "watchdog: the watchdog saw no sign of life"),
        ("spin", "watchdog: the watchdog saw no sign of life"),
    ],
)
def test_an_end_is_reported_by_name(endings: Board, name: str, how: str) -> None:
    assert ended(endings, name).startswith(how)
    says(endings, "neighbour", "checksum: round=")
    assert listed(endings, name)["end"].startswith(how)


def test_a_fault_tells_where_it_was(endings: Board) -> None:
    start = len(endings.kernel.text)
    ended(endings, "triple")
    assert re.search(r"triple: vcpu 0: exit 0x7f.*\n.*cs:rip [0-9a-f]{4}:0000000000[0-9a-f]{6}", endings.kernel.text[start:])


def test_the_watchdog_lets_an_idle_guest_live(endings: Board) -> None:
    command(endings, "start stay")
    ended(endings, "spin")  # its watchdog has as long a time: long enough for a host that is away while `stay` begins
    assert listed(endings, "stay")["state"] == "running"
    command(endings, "stop stay")


@pytest.mark.parametrize("name", ["again", "phoenix"])
def test_the_restart_policy_is_kept(endings: Board, name: str) -> None:
    command(endings, f"start {name}")
    for _ in range(3):
        endings.kernel.expect(rf"domain {name}: (reset|triple fault)", 60)
    command(endings, f"stop {name}")  # in a life or between two
    row = listed(endings, name)
    assert row["state"] == "stopped"
    assert int(row["restarts"]) >= 2
    ended(endings, "off")
    assert listed(endings, name) == row


def test_without_a_policy_an_end_stands(endings: Board) -> None:
    before = listed(endings, "reset")["restarts"]
    ended(endings, "reset")
    row = settled(endings, "reset")
    says(endings, "neighbour", "checksum: round=")
    assert listed(endings, "reset") == row
    assert (row["state"], row["restarts"]) == ("stopped", before)


def test_the_control_console_stops_and_restarts(endings: Board) -> None:
    after(endings, "start stay", "stay", "hello: end=stay")
    after(endings, "restart stay", "stay", "hello: end=stay")
    command(endings, "stop stay")
    row = listed(endings, "stay")
    assert row["state"] == "stopped"
    assert row["end"] == "stopped: by the control console"


def test_the_control_console_shows_counters(endings: Board) -> None:
    answer = command(endings, "stats neighbour")
    assert re.search(r"neighbour/0 +cpu 0", answer)
    assert re.search(r"vcpu 0 on core 0: .*\bpio [1-9]", answer)


def test_the_control_console_traces(endings: Board) -> None:
    command(endings, "trace on")
    ended(endings, "off")
    command(endings, "trace off")
    assert len(command(endings, "trace dump").splitlines()) > 10


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("start nobody", "no domain"),
        ("stop", "no domain"),
        ("stats nobody", "no domain"),
        ("trace sideways", "say trace on"),
        ("dance", "no command"),
        ("start neighbour", "error: start"),
        ("x" * 200, "no command"),
    ],
)
def test_the_control_console_refuses(endings: Board, line: str, why: str) -> None:
    start = len(endings.kernel.text)
    with pytest.raises(UserError):
        command(endings, line)
    assert why in endings.kernel.text[start:]
    assert "neighbour" in command(endings, "list")
