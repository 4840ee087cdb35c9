# SPDX-License-Identifier: MIT
"""Guests and processes of a ring of tunnels die five at once: killed, reset, stopped, hung, started (deaths.py)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command, rows
from deaths import goes_on, nobody_saw_wrong, rounds, seeded, wait_until
from support import LIST

pytestmark = pytest.mark.beside

GUESTS, PROCESSES = ("g0", "g1", "g2"), ("p0", "p1", "p2")
MEMBERS = [name for pair in zip(GUESTS, PROCESSES, strict=True) for name in pair]
RING = [(MEMBERS[i], MEMBERS[(i + 1) % 6]) for i in range(6)]
ENDS = {name: [pair for pair in RING if name in pair] for name in MEMBERS}  # by a member's own numbers of its tunnels
ORDERS = {"kill": ("K", "X"), "hang": ("H", "Y")}  # what a guest is typed to order, of who is at its tunnel 0 and 1
OWN = {"kill": "k", "reset": "r", "hang": "h"}


def system() -> dict[str, Any]:
    sides = {name: [str(pair.index(name)) for pair in ENDS[name]] for name in MEMBERS}
    guest = {"boot": "pvh", "kernel": "build:numbers.elf", "memory": "16M", "hypercalls": True, "devices": [{"type": "uart"}]}
    process = {"kind": "process", "program": "build:numbers.elf", "memory": "128K", "restart": ["fault"], "watchdog": "400ms"}
    domains: dict[str, Any] = {}
    for i, name in enumerate(MEMBERS):
        side = sides[name]
        if name in GUESTS:
            more = {"cmdline": f"side0={side[0]} side1={side[1]}", "restart": ["reset", "fault"], "watchdog": "400ms"}
            domains[name] = guest | more | {"cores": [i % 2]}
        else:
            domains[name] = process | {"arguments": ["numbers", *side], "cores": [i % 2]}
    channels = [{"name": f"t{n}", "between": list(pair), "size": "4K"} for n, pair in enumerate(RING)]
    return {"system": "deaths", "board": "q35", "cores": 2, "memory": "256M", "domains": domains, "channels": channels}


def peer(name: str, tunnel: int) -> str:
    pair = ENDS[name][tunnel]
    return pair[not pair.index(name)]


class Storm:
    def __init__(self, board: Board, rng: random.Random):
        self.board, self.rng = board, rng
        self.stopped = ""

    def list(self) -> dict[str, dict[str, str]]:
        return {row["name"]: row for row in rows(command(self.board, "list"), LIST)}

    def who_tells(self, process: str, busy: set[str]) -> tuple[str, int] | None:
        """A guest beside the process that runs until it has told it, and its number of their tunnel."""
        for guest in GUESTS:
            for tunnel in range(2):
                if peer(guest, tunnel) == process and guest not in busy:
                    return guest, tunnel
        return None

    def plan(self) -> tuple[dict[str, str], list[tuple[str, str]]]:
        """Who dies how, and what is typed to whom: a process dies by a guest's order."""
        while True:
            reset = self.rng.choice([g for g in GUESTS if g != self.stopped])
            others = self.rng.sample([m for m in MEMBERS if m not in (reset, self.stopped)], 3)
            dies = {reset: "reset", others[0]: "kill", others[1]: "hang", others[2]: "stop"}
            typed: list[tuple[str, str]] = []
            for name in others[:2]:
                if name in GUESTS:
                    typed.append((name, OWN[dies[name]]))
                elif teller := self.who_tells(name, {others[2], self.stopped}):
                    typed.insert(0, (teller[0], ORDERS[dies[name]][teller[1]]))
                else:
                    break
            else:
                return dies, [*typed, (reset, "r")]

    def all_go_on(self, after: str) -> None:
        since = {name: len(self.board[name].text) for name in MEMBERS}
        pairs = [(m, t) for m in MEMBERS for t in range(2) if self.stopped not in (m, peer(m, t))]
        wait_until(
            lambda: all(goes_on(self.board[m], t, since[m]) for m, t in pairs),
            lambda: f"{after}: these take nothing: {[(m, t) for m, t in pairs if not goes_on(self.board[m], t, since[m])]}",
        )

    def round(self) -> None:
        dies, typed = self.plan()
        before = self.list()
        for name, letter in typed:
            self.board[name].send(letter)
        if self.stopped:
            command(self.board, f"start {self.stopped}")
        self.stopped = next(name for name, how in dies.items() if how == "stop")
        command(self.board, f"stop {self.stopped}")
        restarted = {name for name, how in dies.items() if how != "stop"}

        def all_began() -> bool:
            now = self.list()
            again = all(int(now[name]["restarts"]) > int(before[name]["restarts"]) for name in restarted)
            return again and all((now[name]["state"] == "running") == (name != self.stopped) for name in MEMBERS)

        wait_until(all_began, lambda: f"{dies}, then:\n{command(self.board, 'list')}")
        self.all_go_on(str(dies))
        nobody_saw_wrong(self.board[name] for name in MEMBERS)
        assert self.list()[self.stopped]["end"] == "stopped: by the control console"


def test_five_deaths_at_once_leave_a_ring_that_goes_on(boot: Any, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with boot(system(), icount=True) as board:
        await_monitor(board)
        storm = Storm(board, seeded(capsys, "deaths on a PC"))
        storm.all_go_on("at first")
        for _ in rounds(full, capsys):
            storm.round()
