# SPDX-License-Identifier: MIT
"""A partition that has the clock chip serves it to two guests by tunnels (guests/ppc405/clock), dies in each way, and begins again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from deaths import wait_until
from probe import Probe, probe_domain

CLIENTS = ("near", "far")  # on the server's core, and on the other one
SAID = r"clock: (\d+) answers, (\d+) s, life (\d+)\r*\n"
BEGUN = 1_830_384_000  # of 2026, in seconds since 1968
DEATHS, DEATHS_FULL = ("k", "h", "stop"), 20  # an access to nothing, a hang, by a monitor; rounds of them


def system() -> dict[str, Any]:
    guest = {"kernel": "build:clock.elf", "memory": "1M", "hypercalls": True}
    health = {"fault": "restart", "reset": "restart"}
    server = {"cmdline": "serve=1 t0=0 t1=1", "device": {"page": 0xF0001000}, "health": health, "cores": [0]}
    domains = {"clock": guest | server} | {name: guest | {"cmdline": f"t0={i}"} for i, name in enumerate(CLIENTS)}
    near = [{"domain": name, "start": f"{2 * i}ms", "length": "2ms"} for i, name in enumerate(("clock", "near", "mon"))]
    return {
        "system": "clock",
        "board": "ref405ep",
        "cores": 2,
        "domains": domains | {"mon": probe_domain(monitor=True)},
        "channels": [{"name": f"t{i}", "type": "tunnel", "between": ["clock", name], "size": "4K"} for i, name in enumerate(CLIENTS)],
        "frames": [
            {"core": 0, "length": "6ms", "windows": near},
            {"core": 1, "length": "6ms", "windows": [{"domain": "far", "start": "0ms", "length": "6ms"}]},
        ],
    }


def answered(board: FleetBoard, name: str) -> tuple[int, int, int]:
    """Its next line: how many answers it has, the time, the server's life."""
    answers, time, life = board[name].expect(SAID, 60).groups()
    return int(answers), int(time), int(life)


def test_a_partition_serves_the_clock_chip_to_two_guests_and_begins_again(fleet: Callable[..., Any], full: bool) -> None:
    """Neither guest sees the time go back, misses a word that it keeps in the chip's memory, or reaches one that is not its own."""
    with fleet(system(), extra=["-rtc", "base=2026-01-01"]) as board:
        memory, monitor = Memory(board), Probe(board["mon"])
        lines = {name: answered(board, name) for name in CLIENTS}
        assert all(BEGUN <= time < BEGUN + 3600 for _, time, _ in lines.values())
        for how in DEATHS * (DEATHS_FULL if full else 1):
            before = memory.vm("clock")["runs"]
            if how == "stop":
                assert monitor.call("vm_control", board.names.index("clock"), "stop") == 0
                wait_until(lambda: memory.state("clock") == "stopped", lambda: memory.state("clock"))
                assert monitor.call("vm_control", board.names.index("clock"), "start") == 0
            else:
                board["clock"].send(how)
            wait_until(lambda before=before: memory.vm("clock")["runs"] > before, lambda how=how: f"it has not begun again after {how}")
            for name in CLIENTS:
                answers, _, life = lines[name]
                while lines[name][2] <= life or lines[name][0] <= answers:  # a busy host lets it miss its watchdog, too
                    lines[name] = answered(board, name)
        assert not any("WRONG" in board[name].text for name in board.names)
