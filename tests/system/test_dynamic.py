# SPDX-License-Identifier: MIT
"""Systems, and cores, that come and go at run time (config/dynamic.config): each leaves the memory as it found it, to the page.

Images are put into free memory by QEMU, as whoever hosts the kernel would do it; each is used once, because the memory of a
system that was destroyed is overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from support import COPIES_AT, copies, free

ROUNDS = 20
UART = [{"type": "uart"}]
PROCESS = {"kind": "process", "program": "build:tunnel.elf", "memory": "256K", "threads": 2}
SMALL: dict[str, Any] = {
    "system": "small",
    "board": "q35",
    "cores": 2,
    "memory": "512M",
    "domains": {
        "rt": {"boot": "pvh", "kernel": "build:rt.elf", "cmdline": "mode=window report=20", "memory": "16M", "cores": [1], "devices": UART},
        "pong": {"boot": "pvh", "kernel": "build:tunnel.elf", "cmdline": "role=pong", "memory": "16M", "cores": [1], "devices": UART},
        "ping": {
            "boot": "pvh",
            "kernel": "build:tunnel.elf",
            "cmdline": "role=ping rounds=50",
            "memory": "4M",
            "cores": [0],
            "devices": UART,
        },
        "registers": {
            "boot": "pvh",
            "kernel": "build:registers.elf",
            "cmdline": "rounds=20 armed=1",
            "memory": "4M",
            "cores": [0],
            "devices": UART,
        },
        "smp": {
            "boot": "pvh",
            "kernel": "build:smp.elf",
            "cmdline": "cpus=2 rounds=20",
            "memory": "16M",
            "vcpus": 2,
            "watchdog": "60s",
            "devices": [*UART, {"type": "pc"}, {"type": "net", "net": 1}, {"type": "rng"}, {"type": "console"}],
        },
        "jacobi": {"kind": "task", "task": "jacobi", "cores": [0]},
        "maps": PROCESS | {"program": "build:maps.elf", "cores": [0, 1]},
        "asks": PROCESS | {"arguments": ["tunnel", "turn", "0", "50", "0"], "cores": [0]},
        "answers": PROCESS | {"arguments": ["tunnel", "turn", "0", "50", "1"], "cores": [1]},
    },
    "frames": [
        {
            "core": 1,
            "length": "10ms",
            "windows": [{"domain": "rt", "start": 0, "length": "1ms"}, {"domain": "shared", "start": "1ms", "length": "9ms"}],
        }
    ],
    "channels": [
        {"name": "t0", "between": ["ping", "pong"], "size": "64K"},
        {"name": "words", "between": ["asks", "answers"], "size": "4K"},
    ],
}


@pytest.fixture(scope="module")
def dynamic() -> Path:
    return build_kernel("dynamic", lambda _text: None)


def refused(board: Board, line: str) -> str:
    """What the kernel says before its error."""
    start = len(board.kernel.text)
    with pytest.raises(UserError):
        command(board, line)
    return board.kernel.text[start:]


@pytest.fixture(scope="module")
def small(images: Any, boot_module: Any, dynamic: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Board, Iterator[int]]]:
    """A board without a system and with a core more than the small one wants; addresses of fresh images of that."""
    _, image = images.get(SMALL)
    extra, addresses = copies(image, tmp_path_factory.mktemp("copies"), ROUNDS + 12)
    with boot_module(SMALL, kernel=dynamic, image=None, cores=3, extra=extra) as board:
        await_monitor(board)
        yield board, iter(addresses)


def works(board: Board, address: int) -> None:
    """Create the system; every guest and process of it does its work."""
    starts = {name: len(board[name].text) for name in SMALL["domains"]}
    command(board, f"create {address:#x}")
    for name, pattern in {
        "ping": r"ping n=50 wrong=0 ",
        "registers": r"registers: mark=1 ok",  # it found them as a reset leaves them, not as its last life did
        "smp": r"smp: 2 of 2 cpus, pings=20 pongs=20",
        "rt": r"rt: ",
        "jacobi": r"bench jacobi error-e9-0 ",
        "maps": r"maps: right",
        "answers": r"tunnel: 50 turns, right",
    }.items():
        board[name].seek(starts[name])
        board[name].expect(pattern, 120)


def test_systems_come_and_go_and_leave_the_memory_as_it_was(small: tuple[Board, Iterator[int]]) -> None:
    board, addresses = small
    before = free(board)
    for _ in range(ROUNDS):
        works(board, next(addresses))
        assert free(board) < before - 56 * 1024
        command(board, "destroy")
        assert free(board) == before
        assert "pong" not in command(board, "list")


def test_a_busy_system_is_destroyed_as_well(small: tuple[Board, Iterator[int]]) -> None:
    """In the middle of its starts, and with an event trace, whose rings are no system's."""
    board, addresses = small
    before = free(board)
    for _ in range(3):
        command(board, "trace on")
        command(board, f"create {next(addresses)}")
        command(board, "destroy")
        assert free(board) == before
    works(board, next(addresses))
    command(board, "destroy")


def test_what_cannot_be_created_is_refused_by_name(small: tuple[Board, Iterator[int]]) -> None:
    board, addresses = small
    before, image = free(board), next(addresses)
    assert "0x100000 to" not in refused(board, "create")
    for line in ("create", "create x", "create 0x", "create 1 2 3", "create 4096 0", "create 0x10000000000000000", "create 12z"):
        assert "say create ADDRESS [SIZE]" in refused(board, line)
    assert "is not the address of one" in refused(board, f"create {image + 16}")
    assert "is not all free memory" in refused(board, "create 0x100000")  # the kernel itself
    assert "is not all free memory" in refused(board, "create 0x7000000000")  # nothing
    assert "is not all free memory" in refused(board, f"create {image} 0x40000000")
    assert "reach too far" in refused(board, f"create {image} 0xffffffffffffffff")
    assert "the magic number is not that of a system image" in refused(board, f"create {COPIES_AT - 4096}")
    assert "the image is shorter than it says" in refused(board, f"create {image} 8192")
    assert "none is there" in refused(board, "destroy")
    assert "no argument" in refused(board, "destroy small")
    assert free(board) == before
    works(board, image)
    assert "small is there already" in refused(board, f"create {next(addresses)}")
    command(board, "destroy")
    assert "the magic number is not" in refused(board, f"create {image}")  # it was overwritten with everything else
    assert free(board) == before


def test_cores_leave_and_come_back_unless_the_system_uses_them(small: tuple[Board, Iterator[int]]) -> None:
    board, addresses = small
    before = free(board)
    assert "no core waits" in refused(board, "join")
    works(board, next(addresses))
    assert "core 0 has the control console" in refused(board, "leave 0")
    assert "core 1 belongs to the system" in refused(board, "leave 1")
    command(board, "leave 2")  # nobody's
    assert "cpu 2" not in command(board, "cpus")
    assert "core 2 is not there" in refused(board, "leave 2")
    command(board, "destroy")
    command(board, "leave 1")
    assert re.findall(r"^cpu (\d)", command(board, "cpus"), re.MULTILINE) == ["0"]
    assert "wants 2 cores, this machine has 1" in refused(board, f"create {next(addresses)}")
    command(board, "join")
    command(board, "join")
    assert re.findall(r"^cpu (\d) online", command(board, "cpus"), re.MULTILINE) == ["0", "1", "2"]
    assert free(board) == before
    works(board, next(addresses))
    command(board, "destroy")
    assert free(board) == before
