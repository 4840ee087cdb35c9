# SPDX-License-Identifier: MIT
"""Guests by VT-x that have Bochs' Intel board for themselves: events, lengths of ways out; long: an attacker, Debian's Linux."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command
from test_hostile import attack, attacked

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}]}


def events(cores: list[int], xapic: int) -> dict[str, Any]:
    devices = [{"type": "uart"}, {"type": "pc"}]
    return GUEST | {"kernel": "build:events.elf", "vcpus": 2, "cores": cores, "cmdline": f"xapic={xapic}", "devices": devices}


@pytest.mark.parametrize(("cores", "apic"), [([0, 0], "x2apic"), ([0, 1], "xapic")], ids=["one-core", "two-cores"])
def test_events_come_when_the_guest_can_take_them_by_vt_x(boot: Any, cores: list[int], apic: str) -> None:
    guest = events(cores, int(apic == "xapic"))
    system = {"system": "intel-events", "board": "bochs-intel", "cores": max(cores) + 1, "memory": "256M", "domains": {"g": guest}}
    with boot(system, emulator="bochs") as board:
        board["g"].expect(rf"events: {apic}\r?\n", 60)
        board["g"].expect(r"events: done, 0 wrong", 120)


# Ticks that a guest sees, and the goals; bench/exits/README.md has them, too.
WAYS = {
    "hypercall": (92, 80),
    "cpuid": (127, 120),
    "msr": (119, 110),
    "pio": (389, 350),
    "yield": (292, 230),
    "inject": (536, 450),
    "nested-fault": (1369, 1300),
}
SLACK = 6  # two runs differ by some ticks


def test_ways_out_of_a_guest_are_no_longer_than_written_by_vt_x(boot: Any, record_property: Any) -> None:
    guest = GUEST | {"kernel": "build:exits.elf", "cmdline": "n=100", "hypercalls": True}
    with boot(
        {"system": "intel-exits", "board": "bochs-intel", "cores": 1, "memory": "256M", "domains": {"g": guest}}, emulator="bochs"
    ) as b:
        b["g"].expect(r"exits: done", 120)
        ticks = {name: int(median) for name, median in re.findall(r"bench exits (\S+) \d+ (\d+) 100\r?\n", b["g"].text)}
    said = (f"{name} {ticks[name]} (goal {goal}{', missed' if ticks[name] > goal else ''})" for name, (_, goal) in WAYS.items())
    record_property("summary", "VT-x on Bochs, ticks: " + ", ".join(said))
    assert not {name: ticks[name] for name, (most, _) in WAYS.items() if ticks[name] > most + SLACK}


@pytest.mark.full
def test_neighbours_of_an_attacker_compute_on_by_vt_x(boot: Any, tmp_path: Path) -> None:
    kinds = ["priv", "mmio", "pio", "msr", "hypercall", "virtq", "pagetable"]
    system = attacked(tmp_path, ",".join(kinds), 1000, 200, 1) | {"system": "intel-hostile", "board": "bochs-intel"}
    with boot(system, emulator="bochs") as board:
        attack(board, kinds, 1000, 900, lambda _text: None)


@pytest.mark.full
def test_debian_reaches_its_shell_by_vt_x(boot: Any) -> None:
    with boot("debian-intel", emulator="bochs") as board:
        await_shell(board["linux"], 1500)
        assert run_command(board["linux"], "uname -m", 60) == ("x86_64\n", 0)
