# SPDX-License-Identifier: MIT
"""What a guest writes into its register page, executes or faults on is its own affair: its core, its neighbours' registers and their input
are not touched (guests/ppc405/escape)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory

KEPT = "wrong=0 srr2=a5a5a4 srr3=29230"


def escape(attack: int, **more: Any) -> dict[str, Any]:
    return {"kernel": "build:escape.elf", "memory": "1M", "cmdline": f"attack={attack}"} | more


def system() -> dict[str, Any]:
    """All in the pool of one core: an attack is followed by another guest at once."""
    ignored = {"health": {"fault": "ignore"}}
    domains = {
        "victim": escape(0),
        "msr": escape(1, irfm=True, **ignored),
        "port": escape(2, **ignored),
        "end": escape(3, cmdline="attack=3 wait=300", health={"fault": "stop"}),
    }
    return {"system": "escape", "board": "ref405ep", "cores": 1, "domains": domains}


@pytest.fixture(scope="module")
def board(fleet_module: Callable[..., Any]) -> Iterator[FleetBoard]:
    with fleet_module(system()) as running:
        yield running


def test_the_msr_of_the_register_page_stops_nobody(board: FleetBoard) -> None:
    board["msr"].expect("escape: done", 60)
    found = re.findall(r"msr=(\w+) device=(\d) vector=(\w+)", board["msr"].text)
    assert len(found) == 10
    assert {row[2] for row in found if row[1] == "0"} == {"1100"}, "the miss is the guest's own"
    assert {row[2] for row in found if row[1] == "1"} <= {"700", "300", "1100", "1200", "200"}
    board["victim"].seek(len(board["victim"].text))
    board["victim"].expect("escape: wrong=", 60)


def test_code_at_the_address_of_a_device_is_no_way_to_read_it(board: FleetBoard) -> None:
    """The kernel would take the port's own registers for the instruction. That is its fault event (3: mixed), and a machine check."""
    board["port"].expect("escape: done", 60)
    assert "port vector=200" in board["port"].text
    assert [(e.event, e.code) for e in Memory(board).events("port") if e.event == "fault"] == [("fault", 3)]


def test_the_end_of_a_guest_leaves_the_next_ones_registers(board: FleetBoard) -> None:
    deadline = time.monotonic() + 60 * SCALE
    actions: list[str] = []
    while not actions and time.monotonic() < deadline:  # other guests' faults are told before
        time.sleep(0.1)
        actions = [e.action for e in Memory(board).events("end") if e.event == "fault"]
    assert actions == ["stop"]
    victim = board["victim"]
    for _ in range(2):
        victim.expect("escape: wrong=.*\n", 60)
    rows = re.findall(r"escape: (wrong=.*?)\r*\n", victim.text)
    assert rows and set(rows) == {KEPT}
