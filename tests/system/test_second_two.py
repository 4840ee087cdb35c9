# SPDX-License-Identifier: MIT
"""Guests on two cores of Bochs, by VT-x and (long) by AMD-V: more vCPUs than cores, windows, a tunnel, starved domains, an attacker of virtio devices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from support import listed, said, settled

pytestmark = pytest.mark.beside

MAKERS = [pytest.param("bochs-intel", id="vt-x"), pytest.param("q35", id="amd-v", marks=pytest.mark.full)]
IPS = 100_000_000  # 10 us of a window are a thousand instructions
UART = {"type": "uart"}
GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [UART]}
BUSY = GUEST | {"kernel": "build:checksum.elf", "cmdline": "mib=1 report=256"}
TUNNEL = GUEST | {"kernel": "build:tunnel.elf", "cores": [1], "hypercalls": True}
WINDOWS = [{"domain": "rt", "start": 0, "length": "2ms"}, {"domain": "shared", "start": "2ms", "length": "8ms"}]


@pytest.fixture(scope="module", params=MAKERS)
def two(boot_module: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    disk: Path = tmp_path_factory.mktemp("two") / "disk.img"
    disk.write_bytes(bytes(range(256)) * 512)
    virtio = [{"type": "console", "slot": 0}, {"type": "net", "net": 0, "slot": 1}, {"type": "rng", "slot": 2}]
    devices = [UART, *virtio, {"type": "block", "image": str(disk), "slot": 3}, {"type": "pc"}]
    domains = {
        "rt": GUEST | {"kernel": "build:rt.elf", "cmdline": "mode=hourglass gap_us=1000 report=10"},
        "busy": BUSY,
        "low": BUSY | {"priority": 2},
        "dog": BUSY | {"priority": 2, "watchdog": "300ms"},
        "four": GUEST | {"kernel": "build:smp.elf", "cmdline": "cpus=4 rounds=50", "vcpus": 4, "cores": [0, 1, 0, 1]},
        "virtq": GUEST | {"kernel": "build:hostile.elf", "cmdline": "kind=virtq seed=1 n=100", "cores": [1], "devices": devices},
        "pong": TUNNEL | {"cmdline": "role=pong"},
        "ping": TUNNEL | {"cmdline": "role=ping rounds=20"},
    }
    system = {
        "system": "second-two",
        "board": request.param,
        "cores": 2,
        "memory": "384M",
        "domains": domains,
        "frames": [{"core": 0, "length": "10ms", "windows": WINDOWS}],
        "channels": [{"name": "t0", "between": ["ping", "pong"], "size": "4K"}],
    }
    with boot_module(system, emulator="bochs", ips=IPS) as board:
        await_monitor(board)
        yield board


def test_a_guest_has_more_vcpus_than_the_board_has_cores(two: Any) -> None:
    said(two, "four", r"smp: 4 of 4 cpus, pings=150 pongs=150")


def test_a_guest_has_its_windows_and_no_more(two: Any) -> None:
    """The clock is instructions: the host's pauses do not exist in it. A window in which the guest reports is shorter to it by that."""
    for what, least, most in (("run", 1_990_000, 2_010_000), ("gap", 7_990_000, 8_100_000)):
        times = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", said(two, "rt", rf"rt: {what} n=.*ns")[0])}
        assert least < times["median"] <= times["max"] < most, (what, times)


def test_a_starved_guest_is_stopped_and_another_ended_by_its_watchdog(two: Any) -> None:
    """`busy` is more urgent on their core and never halts."""
    assert listed(two, "low")["state"] == "running"
    command(two, "stop low")
    assert listed(two, "low")["state"] == "stopped"
    said(two, "kernel", r"domain dog: watchdog")
    assert settled(two, "dog")["state"] == "stopped"


def test_an_attacker_of_virtio_devices_comes_to_its_end(two: Any) -> None:
    said(two, "virtq", r"hostile: done virtq 100 faults=\d+ stops=\d+")
    assert "vcpu 0" in command(two, "stats virtq")


def test_messages_pass_a_tunnel(two: Any) -> None:
    said(two, "ping", r"tunnel: ping n=20 wrong=0 ")
