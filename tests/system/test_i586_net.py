# SPDX-License-Identifier: MIT
"""A guest in ring 1, a process with a network stack and the host on one switch: the process by a port of it, the host by a bridge to a
card. And a process that sends what it likes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell
from support import Ports, after, ended, page, said, says, shell

BOOT = 240
FRAMES = 4000
PROCESS = {"kind": "process", "cores": [1]}
DRIVER = PROCESS | {"memory": "128K", "threads": 2}
SYSTEM: dict[str, Any] = {
    "system": "i586-net",
    "board": "i586-linux",
    "cores": 2,
    "domains": {
        "linux": {
            **{"kernel": "linux586:vmlinux", "initrd": "linux586:initrd", "memory": "16M", "cmdline": "console=hvc0 quiet", "cores": [0]},
            **{"focus": True, "devices": [{"type": "net"}]},
        },
        "port": DRIVER | {"program": "build:port.elf", "ports": [0]},
        "web": PROCESS
        | {"program": "build:net-web.elf", "environment": {"NET": "0 10.0.2.20/24 via 10.0.2.2"}, "memory": "768K", "threads": 3},
        "bridge": DRIVER | {"program": "build:bridge.elf", "ports": ["uplink-0"], "devices": ["rtl8139-0"]},
        "flood": DRIVER
        | {"program": "build:portcost.elf", "arguments": ["portcost", "0", "0", "2", "21"], "ports": [2, 2, 0], "autostart": False},
        "ports": DRIVER | {"program": "build:ports.elf", "arguments": ["ports", str(FRAMES)], "ports": [1, 1, 0], "autostart": False},
    },
    "channels": [{"name": "frames", "between": ["port", "web"], "size": "260K"}],
}


@pytest.fixture(scope="module")
def ports() -> Ports:
    """The host's port for the process that serves, and the one for the guest."""
    return Ports(2)


@pytest.fixture(scope="module")
def board(boot_module: Any, ports: Ports) -> Iterator[Board]:
    def forwards() -> str:
        return f"hostfwd=tcp:127.0.0.1:{ports.first}-10.0.2.20:80,hostfwd=tcp:127.0.0.1:{ports.first + 1}-10.0.2.21:80"

    with boot_module(SYSTEM, network=forwards) as board:
        await_monitor(board)
        await_shell(board["linux"], BOOT)
        shell(board, "ifconfig eth0 10.0.2.21; route add default gw 10.0.2.2")
        yield board


@pytest.fixture
def web(board: Board, ports: Ports) -> int:
    """The port for the process; the next one is for the guest."""
    return ports.first


def test_a_guest_reaches_a_process_by_a_port_of_its_switch(board: Board) -> None:
    assert "3 packets received" in shell(board, "ping -c 3 10.0.2.20")
    assert "pages served" in shell(board, "wget -q -O - http://10.0.2.20/")


def test_a_guest_reaches_the_host_by_a_bridge(board: Board) -> None:
    """10.0.2.2 is the host, as the emulator's network shows it."""
    said(board, "bridge", "bridge: switch 0 and a card")
    assert "3 packets received" in shell(board, "ping -c 3 10.0.2.2")


def test_the_host_reaches_a_process_and_a_guest_by_a_bridge(board: Board, web: int) -> None:
    assert "pages served" in page(web)
    lines = "".join(f"{n}\n" for n in range(1, 20001)).encode()
    shell(board, "seq 1 20000 > /tmp/page; httpd -h /tmp")
    assert hashlib.sha256(page(web + 1, "page").encode()).digest() == hashlib.sha256(lines).digest()


def test_a_process_that_sends_what_it_likes_harms_neither_guest_nor_kernel(board: Board, web: int) -> None:
    """Calls that are wrong, frames in order and lost ones counted, and random ones to the guest, to groups and to nobody."""
    free = []
    for _life in range(2):
        assert ended(board, "ports", 120) == "done: exit status 0"
        assert "3 packets received" in shell(board, "ping -c 3 10.0.2.20")
        assert "pages served" in page(web)
        free.append(re.search(r"(\d+) KiB free", command(board, "mem"))[1])  # type: ignore[index]
    assert free[0] == free[1]


def test_a_guest_that_a_process_floods_computes_on_and_answers(board: Board, web: int) -> None:
    """Questions as fast as its core sends them, of which each that the guest gets is an interrupt and an answer; the pages' process has the same core."""
    after(board, "start flood", "flood", "portcost: the guest answers")
    numbers = "".join(f"{n}\n" for n in range(1, 2001)).encode()
    counted = []
    for _ in range(2):
        assert hashlib.md5(numbers, usedforsecurity=False).hexdigest() in shell(board, "seq 1 2000 | md5sum", timeout=BOOT)
        assert "pages served" in page(web)
        counted.append(int(says(board, "flood", r"flood: (\d+) answers")[1]))
    assert 0 < counted[0] < counted[1]
    command(board, "stop flood")
    assert "3 packets received" in shell(board, "ping -c 3 10.0.2.20")
    assert not re.search(r"FAULT|PANIC|panic", board.kernel.text)


def test_a_port_serves_again_after_its_process_was_stopped(board: Board, web: int) -> None:
    for name in ("port", "bridge"):
        command(board, f"stop {name}")
        shell(board, "ping -c 1 -W 1 10.0.2.20 || true")
        command(board, f"start {name}")
    assert "pages served" in page(web)
    assert "pages served" in shell(board, "wget -q -O - http://10.0.2.20/")
