# SPDX-License-Identifier: MIT
"""A hostile process (tests/programs/hostile.c) on RISC-V: another one beside it computes on, and the kernel answers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from second import SPIKE
from support import ended, free, listed, said, stop

STEPS, STEPS_FULL = 10_000, 1_000_000
LIVES, LIVES_FULL = 16, 200
KERNEL = 0xFFFFFFC000000000  # where all memory from the image on is seen
LIFE = 3  # s; one that jumped to anywhere may wait for ever, or go round


def system(*arguments: str, **keys: Any) -> dict[str, Any]:
    hostile = {"kind": "process", "program": "build:hostile.elf", "memory": "256K", "threads": 64, "cores": [1, 0]}
    threads = {"kind": "process", "program": "build:threads.elf", "arguments": ["threads", "4", "1000"], "memory": "256K", "threads": 5}
    return {
        "system": "virt-hostile",
        "board": "virt",
        "cores": 2,
        "domains": {
            "hostile": hostile | {"arguments": ["hostile", *arguments]} | keys,
            "near": threads | {"cores": [0, 1], "autostart": False},
        },
    }


def unharmed(board: Board) -> None:
    """A run of the neighbour comes out right, and the kernel has said of nothing that it was its own fault."""
    assert ended(board, "near", 120) == "done: exit status 0"
    assert board["near"].text.rstrip().endswith("threads: right")
    assert not re.search(r"FAULT|PANIC", board.kernel.text)


@pytest.mark.timeout(0)
@pytest.mark.parametrize("emulator", SPIKE)
def test_no_call_of_a_hostile_process_harms_anybody_on_riscv(boot: Any, full: bool, emulator: str) -> None:
    steps = STEPS_FULL if full and not emulator else STEPS
    with boot(system(str(steps), memory="6M"), emulator=emulator) as board:  # two large pages
        await_monitor(board)
        unharmed(board)
        said(board, "hostile", "hostile: done", 7200 if full else 300)
        unharmed(board)
        assert listed(board, "hostile")["restarts"] == "0"


def test_a_process_cannot_have_the_kernels_memory_read_for_it(boot: Any) -> None:
    """Supervisor mode may read it, so only the check of the address stands before it. (stray.c counts from 512 GiB.)"""
    offset = KERNEL - (512 << 30)
    stray = {"kind": "process", "program": "build:stray.elf", "arguments": ["stray", str(offset), "1000"], "memory": "128K"}
    with boot({"system": "virt-stray", "board": "virt", "cores": 1, "domains": {"stray": stray}}, icount=True) as board:
        assert said(board, "stray", r"stray: (\d+) of 1000 reads were answered")[1] == "0"


def end_of_a_life(board: Board) -> str:
    """How the attacker ended; it lives again after that."""
    try:
        end = board.kernel.expect(r"domain hostile: (fault|done): ", LIFE)[1]
    except ConsoleError:
        stop(board, "hostile")
        end = "stopped"
    if end != "fault":
        command(board, "start hostile")
    return end


@pytest.mark.timeout(0)
def test_whatever_a_process_dies_of_on_riscv_it_dies_alone(boot: Any, full: bool) -> None:
    with boot(system("1000000", "deadly", restart=["fault"])) as board:
        await_monitor(board)
        unharmed(board)
        stop(board, "hostile")  # a start gives stacks of threads back and takes them again
        before = free(board)
        command(board, "start hostile")
        ends = [end_of_a_life(board) for _ in range(LIVES_FULL if full else LIVES)]
        stop(board, "hostile")
        unharmed(board)
        assert ends.count("stopped") <= len(ends) * 2 / 3, ends
        reasons = set(re.findall(r"domain hostile: fault: thread \d+: ([a-z ]+?) at", board.kernel.text))
        assert len(reasons) >= 2, reasons
        assert free(board) == before
