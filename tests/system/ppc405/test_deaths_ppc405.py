# SPDX-License-Identifier: MIT
"""Guests of a ring of tunnels on two cores die five at once: by a fault, a reset, a hang, a monitor's stop; one is started (deaths.py)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from deaths import goes_on, nobody_saw_wrong, rounds, seeded, wait_until
from probe import Probe, probe_domain

MEMBERS = ["a", "b", "c", "d", "e", "f"]
POOL = ("e", "f")  # run where there is room; the others are bound, two to a core
LETTERS = {"kill": "k", "reset": "r", "hang": "h"}


def ring(name: str) -> list[tuple[int, int]]:
    """A member's two tunnels and its side of each: tunnel n is between members n and n + 1."""
    me = MEMBERS.index(name)
    return [(me, 0), ((me - 1) % len(MEMBERS), 1)]


def system() -> dict[str, Any]:
    domains: dict[str, Any] = {}
    for name in MEMBERS:
        words = [f"t{i}={tunnel} side{i}={side}" for i, (tunnel, side) in enumerate(ring(name))]
        domains[name] = {
            "kernel": "build:numbers.elf",
            "memory": "1M",
            "hypercalls": True,
            "cmdline": " ".join(words),
            "health": {"fault": "restart", "reset": "restart"},
            "restarts": "unlimited",
        }
        if name in POOL:
            domains[name]["cores"] = [0, 1]
    domains["mon"] = probe_domain(monitor=True)

    def frame(core: int, own: list[str]) -> dict[str, Any]:
        windows = [*own, "any"]
        length = 10 // len(windows)
        made = [{"domain": who, "start": f"{i * length}ms", "length": f"{length}ms"} for i, who in enumerate(windows)]
        return {"core": core, "length": "10ms", "windows": made}

    channels = [
        {"name": f"t{n}", "type": "tunnel", "between": [name, MEMBERS[(n + 1) % len(MEMBERS)]], "size": "4K"}
        for n, name in enumerate(MEMBERS)
    ]
    frames = [frame(0, ["a", "b", "mon"]), frame(1, ["c", "d"])]
    return {"system": "deaths", "board": "ref405ep", "cores": 2, "domains": domains, "channels": channels, "frames": frames}


class Storm:
    def __init__(self, board: FleetBoard, rng: random.Random):
        self.board, self.rng = board, rng
        self.memory, self.monitor = Memory(board), Probe(board["mon"])
        self.stopped = ""

    def order(self, name: str, what: str) -> None:
        assert self.monitor.call("vm_control", self.board.names.index(name), what) == 0

    def peers_run(self) -> list[tuple[str, int]]:
        """Members that run, and those of their tunnels at whose other end one runs."""
        me = {name: i for i, name in enumerate(MEMBERS)}
        pairs = [(name, 0, MEMBERS[(me[name] + 1) % 6]) for name in MEMBERS] + [(name, 1, MEMBERS[me[name] - 1]) for name in MEMBERS]
        return [(name, tunnel) for name, tunnel, peer in pairs if self.stopped not in (name, peer)]

    def all_go_on(self, after: str) -> None:
        since = {name: len(self.board[name].text) for name in MEMBERS}
        pairs = self.peers_run()
        wait_until(
            lambda: all(goes_on(self.board[m], t, since[m]) for m, t in pairs),
            lambda: f"{after}: these take nothing: {[(m, t) for m, t in pairs if not goes_on(self.board[m], t, since[m])]}",
        )

    def round(self) -> None:
        chosen = self.rng.sample([m for m in MEMBERS if m != self.stopped], 4)
        dies = dict(zip(chosen, ("kill", "reset", "hang", "stop"), strict=True))
        lives = {name: self.memory.vm(name)["runs"] for name in MEMBERS}
        for name, how in dies.items():
            if how in LETTERS:
                self.board[name].send(LETTERS[how])
        if self.stopped:
            self.order(self.stopped, "start")
        self.order(chosen[3], "stop")
        again = [*chosen[:3], *([self.stopped] if self.stopped else [])]
        self.stopped = chosen[3]

        def ended() -> bool:
            begun = all(self.memory.vm(name)["runs"] > lives[name] for name in again)
            return begun and all((self.memory.state(name) == "stopped") == (name == self.stopped) for name in MEMBERS)

        wait_until(ended, lambda: f"{dies}: {[(n, self.memory.state(n), self.memory.vm(n)['runs'], lives[n]) for n in MEMBERS]}")
        self.all_go_on(str(dies))
        nobody_saw_wrong(self.board[name] for name in MEMBERS)
        assert self.monitor.call("vm_info", self.board.names.index(self.stopped), "state") == 0  # the monitor answers, too


def test_five_deaths_at_once_leave_a_ring_of_guests_that_goes_on(
    fleet: Callable[..., Any], full: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with fleet(system()) as board:
        storm = Storm(board, seeded(capsys, "deaths on ppc405"))
        storm.all_go_on("at first")
        for _ in rounds(full, capsys):
            storm.round()
