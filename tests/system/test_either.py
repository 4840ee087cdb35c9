# SPDX-License-Identifier: MIT
"""The kernel with both back ends (config/pc-both.config): one file, by AMD-V on QEMU and by VT-x on Bochs.

The guests need each jump between what that kernel has once and what it has twice (kernel/twins.mk): devices' interrupts, the 8259's among
them, the PIT, input, tunnels, several vCPUs, a watchdog, counters, starts. The module has no mark `beside`: QEMU's board keeps two
processors of the host busy, and one CPU of a guest must answer another within a second of the clock, as in test_events.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from amalgam.build.kernel import build_kernel
from second import EMULATOR, MAKERS
from support import after, ended, said

UART, PC = {"type": "uart"}, {"type": "pc"}
GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [UART]}
TUNNEL = GUEST | {"kernel": "build:tunnel.elf", "cores": [1], "hypercalls": True}
SAYS = {"q35": "AuthenticAMD", "bochs-intel": "GenuineIntel"}
FILES: dict[str, str] = {}  # what each board booted


@pytest.fixture(scope="module", params=MAKERS)
def either(boot_module: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    disk: Path = tmp_path_factory.mktemp("either") / "disk.img"
    disk.write_bytes(bytes(range(256)) * 512)
    kernel = build_kernel("pc-both", lambda _text: None)
    FILES[request.param] = hashlib.sha256(kernel.read_bytes()).hexdigest()
    virtio = [{"type": "console", "slot": 0}, {"type": "rng", "slot": 2}, {"type": "block", "image": str(disk), "slot": 3}]
    domains = {
        "hello": GUEST | {"kernel": "build:hello.elf", "memory": "32M"},
        "prefixed": GUEST | {"kernel": "build:prefixed.elf", "hypercalls": True},
        "events": GUEST | {"kernel": "build:events.elf", "vcpus": 2, "cores": [0, 1], "devices": [UART, PC], "hypercalls": True},
        "four": GUEST | {"kernel": "build:smp.elf", "cmdline": "cpus=4 rounds=20", "vcpus": 4, "cores": [0, 1, 0, 1]},
        "virtq": GUEST | {"kernel": "build:hostile.elf", "cmdline": "kind=virtq seed=1 n=50", "devices": [UART, *virtio, PC]},
        "pong": TUNNEL | {"cmdline": "role=pong"},
        "ping": TUNNEL | {"cmdline": "role=ping rounds=20"},
        "hang": GUEST | {"kernel": "build:crash.elf", "cmdline": "mode=hang", "watchdog": "200ms", "autostart": False},
    }
    channels = [{"name": "t0", "between": ["ping", "pong"], "size": "4K"}]
    system = {"system": "either", "board": request.param, "cores": 2, "memory": "384M", "domains": domains, "channels": channels}
    with boot_module(system, emulator=EMULATOR[request.param], kernel=kernel) as board:
        await_monitor(board)
        yield request.param, board


def test_one_kernel_runs_guests_by_the_back_end_of_its_processor(either: Any) -> None:
    maker, board = either
    said(board, "hello", rf"hello: cpu {SAYS[maker]}")
    said(board, "prefixed", r"prefixed: ok, \d+ instructions")
    assert ("vmx: VT-x has what guests need" in board["kernel"].text) == (maker == "bochs-intel")
    assert "amdv:" not in board["kernel"].text
    assert len(set(FILES.values())) == 1


def test_what_is_there_once_reaches_the_back_end_that_runs(either: Any) -> None:
    _, board = either
    assert said(board, "events", r"events: done, (\d+) wrong")[1] == "0"
    said(board, "four", r"smp: 4 of 4 cpus, pings=60 pongs=60")
    said(board, "virtq", r"hostile: done virtq 50 faults=\d+ stops=\d+", 60)
    said(board, "ping", r"tunnel: ping n=20 wrong=0 ", 60)
    assert ended(board, "hang").startswith("watchdog: the watchdog saw no sign of life")


def test_a_guest_of_either_is_counted_stopped_and_started_again(either: Any) -> None:
    maker, board = either
    said(board, "hello", rf"hello: cpu {SAYS[maker]}")
    assert int(after(board, "stats hello", "kernel", r"vcpu 0 on core 0: fast (\d+), ")[1]) >= 0
    after(board, "restart hello", "hello", rf"hello: cpu {SAYS[maker]}")
    assert " 32 MiB restarts 1" in command(board, "list")
