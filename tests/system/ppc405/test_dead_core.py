# SPDX-License-Identifier: MIT
"""A core that dies (its process ended) takes others' guests with it only if it held the lock, and then the others say so."""

from __future__ import annotations

import os
import signal
import struct
import time
from collections.abc import Callable
from typing import Any

from amalgam.board.console import SCALE
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from elftools.elf.elffile import ELFFile
from guests405 import guest_elf

WORDS = 9  # of struct shared before the cores' records (kernel/include/partition/shared.h)
RECORD, CORES = 8, 8
LOCK_LOST = 4
CHOOSING = 1


def system() -> dict[str, Any]:
    hello = str(guest_elf("hello"))
    again = {"kernel": hello, "memory": "1M", "cmdline": "us=20000", "health": {"reset": "restart"}, "restarts": "unlimited"}
    return {
        "system": "dead-core",
        "board": "ref405ep",
        "cores": 2,
        "domains": {"bound": again, "pool-a": {**again, "cores": [0, 1]}, "pool-b": {**again, "cores": [0, 1]}},
        "frames": [
            {
                "core": 0,
                "length": "10ms",
                "windows": [{"domain": "bound", "start": 0, "length": "5ms"}, {"domain": "any", "start": "5ms", "length": "5ms"}],
            }
        ],
    }


def word(board: FleetBoard, address: int) -> int:
    assert board.ram
    return int(struct.unpack_from(">I", board.ram, address)[0])


def symbol(board: FleetBoard, name: str) -> int:
    with board.fleet.kernel.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        assert symbols
        return int(symbols.get_symbol_by_name(name)[0]["st_value"])


def record(board: FleetBoard, core: int, field: int) -> int:
    """Where a field of a core's record is; behind the last record comes the lock."""
    return symbol(board, "shared") + 4 * WORDS + core * RECORD + field


def in_bakery(board: FleetBoard, core: int) -> bool:
    return word(board, record(board, CORES, 4 * core)) != 0


def kill_outside(board: FleetBoard, core: int) -> None:
    """Stopped first, and looked at: a core that the host does not run may stand in the bakery for long."""
    process = board.nodes[core].process
    assert process
    for _ in range(1000):
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        if not in_bakery(board, core):
            board.kill(core)
            return
        process.send_signal(signal.SIGCONT)
        time.sleep(0.001)
    raise AssertionError("the core is in the bakery whenever it is looked at")


def goes_on(board: FleetBoard, name: str, times: int = 3) -> None:
    """It begins so many lives from now on: by the kernel's record, for its console may be behind."""
    memory, deadline = Memory(board), time.monotonic() + 60 * SCALE
    before = memory.vm(name)["runs"]
    while memory.vm(name)["runs"] < before + times:
        assert time.monotonic() < deadline, f"{name} begins no life any more"
        time.sleep(0.01)


def test_others_go_on_when_a_core_dies_outside_of_the_lock(fleet: Callable[..., Any]) -> None:
    with fleet(system()) as board:
        goes_on(board, "bound", 1)
        kill_outside(board, 1)
        goes_on(board, "bound")
        assert word(board, record(board, 0, LOCK_LOST)) == 0


def test_a_lock_that_died_with_its_core_is_reported_and_bound_guests_go_on(fleet: Callable[..., Any]) -> None:
    with fleet(system()) as board:
        goes_on(board, "bound", 1)
        board.kill(1)
        assert board.ram
        struct.pack_into(">I", board.ram, record(board, CORES, 4), CHOOSING)  # as if it had died in the doorway
        board.kernel.expect("core 0: lock lost, the pool is given up", 30)
        assert word(board, record(board, 0, LOCK_LOST)) != 0
        goes_on(board, "bound")
        before = word(board, symbol(board, "core_times"))
        deadline = time.monotonic() + 60 * SCALE
        while word(board, symbol(board, "core_times")) <= before:
            assert time.monotonic() < deadline, "no window begins any more"
            time.sleep(0.01)
