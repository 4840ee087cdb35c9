# SPDX-License-Identifier: MIT
"""Looking into a running fleet's shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amalgam.board.fleet import FleetBoard
from amalgam.board.records import layout_of

EVENTS = ("fault", "reset", "overrun", "start", "order", "lock-lost")  # enum pt_event, then EVENT_* of partition/record.h
ACTIONS = ("stop", "restart", "ignore", "plan")
STATES = ("stopped", "ready", "running", "idle")


@dataclass
class Event:
    """One line of the event log."""

    vm: str
    when: int  # time base, low half, of the core where it happened
    event: str
    action: str
    core: int
    life: int
    code: int
    value: int


class Memory:
    """The kernel's records of a running (or just ended) board."""

    def __init__(self, board: FleetBoard):
        self.board = board
        self.layout = layout_of(board.fleet.kernel, board.fleet.kernel.stat().st_mtime_ns)

    def vm(self, name: str) -> dict[str, Any]:
        """The record of a guest: state, runs, used, core, exits, ..."""
        index = self.board.names.index(name)
        at = self.layout.symbols["vm_records"] + index * self.layout.sizes["vm_record"] + self.layout.members["vm_record"]["vm"][0]
        return self.layout.read(self.board.ram, at, "vm")

    def shared(self) -> dict[str, Any]:
        """What all cores have in common: cores, plan, over, ..."""
        return self.layout.read(self.board.ram, self.layout.symbols["shared"], "shared")

    def times(self, core: int) -> dict[str, Any]:
        """How many windows have begun on a core, and how late."""
        at = self.layout.symbols["core_times"] + core * self.layout.sizes["core_times"]
        return self.layout.read(self.board.ram, at, "core_times")

    def state(self, name: str) -> str:
        return STATES[self.vm(name)["state"]]

    def events(self, name: str) -> list[Event]:
        """What is still in a guest's log, oldest first."""
        part = self.vm(name)["part"]
        ring, count = part["events"], part["n_events"]
        found = []
        for number in range(max(0, count - len(ring)), count):
            e = ring[number % len(ring)]
            found.append(Event(name, e["when"], EVENTS[e["event"]], ACTIONS[e["action"]], e["core"], e["run"], e["code"], e["value"]))
        return found
