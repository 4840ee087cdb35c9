# SPDX-License-Identifier: MIT
"""A process does its worst (tests/programs/hostile.c); a guest beside it computes on, to the bit, and the kernel answers.

10,000 calls of one that lives and 16 lives of one that dies of all that it tries; with --full 1,000,000 calls and 200 lives.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from neighbour import check_neighbour
from second import EMULATOR, MAKERS, lets_into_virtual_8086_mode
from support import free, listed, said, says, stop

THREADS = 64
LIVES, LIVES_FULL = 16, 200  # at least a third of them end by themselves
LIFE = 3  # s; one that jumped to anywhere may wait for ever, or go round


def beside(hostile: dict[str, Any], board: str = "q35") -> dict[str, Any]:
    """The attacker shares core 1 by windows with `near`, and a tunnel with each of them."""
    process = {"kind": "process", "program": "build:hostile.elf", "memory": "256K", "threads": THREADS, "cores": [1, 0]}
    near = {"boot": "pvh", "kernel": "build:checksum.elf", "memory": "32M", "devices": [{"type": "uart"}], "cores": [1]}
    return {
        "system": "hostile",
        "board": board,
        "cores": 2,
        "memory": "256M",
        "domains": {
            "hostile": process | hostile,
            "near": near | {"cmdline": "seed=7 mib=4 report=8"},
            "pong": {"kind": "process", "program": "build:tunnel.elf", "arguments": ["tunnel", "pong"], "memory": "64K", "cores": [0]},
        },
        "channels": [{"name": name, "between": ["hostile", name], "size": "4K"} for name in ("pong", "near")],
        "frames": [
            {
                "core": 1,
                "length": "10ms",
                "windows": [{"domain": "near", "start": 0, "length": "4ms"}, {"domain": "hostile", "start": "4ms", "length": "4ms"}],
            }
        ],
    }


def unharmed(board: Board) -> None:
    """The neighbour's sums are right and go on, and the kernel has said of nothing that it was its own fault."""
    says(board, "near", "checksum: round=")
    check_neighbour(board, "near", 7, 4)
    assert listed(board, "pong")["state"] == "running"
    assert not re.search(r"FAULT|PANIC", board.kernel.text)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("maker", MAKERS)
def test_no_call_of_a_hostile_process_harms_anybody(boot: Any, full: bool, maker: str) -> None:
    """On Bochs a twentieth of the calls."""
    steps = (1_000_000 if full else 10_000) // (20 if EMULATOR[maker] else 1)
    with boot(beside({"arguments": ["hostile", str(steps)], "memory": "6M"}, maker), emulator=EMULATOR[maker]) as board:  # two large pages
        await_monitor(board)
        said(board, "hostile", "hostile: done", 7200 if full else 300)
        unharmed(board)
        assert listed(board, "hostile")["restarts"] == "0"


def end_of_a_life(board: Board) -> str:
    """How the attacker ended; it lives again after that. What does not end is still the monitor's to stop."""
    try:
        end = board.kernel.expect(r"domain hostile: (fault|done): ", LIFE)[1]
    except ConsoleError:
        says(board, "near", "checksum: round=")
        stop(board, "hostile")
        end = "stopped"
    if end != "fault":  # it restarts by itself after a fault; a jump to anywhere may also hit exit()
        command(board, "start hostile")
    return end


def free_when_stopped(board: Board) -> int:
    """Memory that is free while the attacker is stopped: a start gives stacks of threads back and takes them again."""
    stop(board, "hostile")
    return free(board)


@pytest.mark.timeout(0)
def test_whatever_a_process_dies_of_it_dies_alone(boot: Any, full: bool) -> None:
    lives = LIVES_FULL if full else LIVES
    hostile = {"arguments": ["hostile", "1000000", "deadly"], "restart": ["fault"]}
    with boot(beside(hostile)) as board:
        await_monitor(board)
        says(board, "near", "checksum: round=")
        before = free_when_stopped(board)
        command(board, "start hostile")
        ends = [end_of_a_life(board) for _ in range(lives)]
        after = free_when_stopped(board)
        unharmed(board)
        assert ends.count("stopped") <= lives * 2 / 3, ends
        reasons = set(re.findall(r"domain hostile: fault: thread \d+: ([a-z ]+?) at", board.kernel.text))
        assert len(reasons) >= 2, reasons
        assert after == before


def test_a_process_of_64_bits_that_an_emulator_lets_into_virtual_8086_mode_ends(boot: Any) -> None:
    """Its frame, in each of 96 MiB of pages of its own as the emulator takes the stack from memory's lower half, has the kernel's selectors."""
    lost = {"program": "build:fault.elf", "arguments": ["fault", "return"], "memory": "112M"}
    why = "page fault at 0, address [0-9a-f]+" if lets_into_virtual_8086_mode() else r"general protection at image\+[0-9a-f]+"
    with boot(beside(lost), icount=True) as board:
        board.kernel.expect(rf"domain hostile: fault: thread 0: {why}", 60)
        unharmed(board)


def test_a_copy_never_reaches_the_process_that_had_the_core_in_between(boot: Any) -> None:
    """Windows of 30 us cut into the kernel's copies everywhere; `far` has memory where `stray` has none, and zeros in it."""
    process = {"kind": "process", "program": "build:stray.elf", "cores": [0]}
    offset = str(512 << 10)
    system = {
        "system": "stray",
        "board": "q35",
        "cores": 1,
        "memory": "128M",
        "domains": {
            "stray": process | {"arguments": ["stray", offset, "100000"], "memory": "128K"},
            "far": process | {"arguments": ["far", "0x4000000000", "-1", offset], "memory": "128K"},
        },
        "frames": [
            {
                "core": 0,
                "length": "100us",
                "windows": [{"domain": "stray", "start": 0, "length": "30us"}, {"domain": "far", "start": "30us", "length": "30us"}],
            }
        ],
    }
    with boot(system, icount=True) as board:
        assert board["stray"].expect(r"stray: (\d+) of 100000 reads were answered", 120)[1] == "0"
