# SPDX-License-Identifier: MIT
"""The same tests on a second emulator, which was not made from QEMU: a parameter `emulator` of a test's board.

A difference is decided by the manual, and written down in docs/boards.md with whose fault it is. docs/testing.md says which emulator can show what.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam import artifacts
from amalgam.artifacts import qemu10
from amalgam.board.bochs import BochsIntel, BochsPc, BochsScc
from amalgam.board.machine import Machine
from amalgam.board.manycore import Manycore
from amalgam.board.scc import SccMachine
from amalgam.board.spike import SpikeManycore, SpikeVirt
from amalgam.board.virt import VirtMachine
from amalgam.errors import SiteError

BOCHS = [pytest.param("", id="qemu"), pytest.param("bochs", id="second-bochs")]
BOCHS_LONG = [pytest.param("", id="qemu"), pytest.param("bochs", id="second-bochs", marks=pytest.mark.full)]
SPIKE = [pytest.param("", id="qemu"), pytest.param("spike", id="second-spike")]
SPIKE_LONG = [pytest.param("", id="qemu"), pytest.param("spike", id="second-spike", marks=pytest.mark.full)]

# Boards of the two makers of processors, and the emulator that is to be fetched for them: AMD-V on QEMU, VT-x on Bochs.
MAKERS = [pytest.param("q35", id="amd"), pytest.param("bochs-intel", id="intel")]
MAKERS_NET = [pytest.param("q35-net", id="amd"), pytest.param("bochs-intel-net", id="intel")]
EMULATOR = {"q35": "", "q35-net": "", "q35-both": "", **dict.fromkeys(("bochs-intel", "bochs-intel-net", "bochs-both"), "bochs")}

# On a slow clock the short timers of guests take all of their time.
FAST: dict[str, dict[str, int]] = {"": {}, "bochs": {"ips": 250_000_000}}
# And slices, windows and delays that a test only waits for are fewer instructions on a slow one.
SLOW: dict[str, dict[str, int]] = {"": {}, "bochs": {"ips": 10_000_000}}

KINDS: dict[str, dict[type, type]] = {
    "bochs": {Machine: BochsPc, BochsIntel: BochsIntel, SccMachine: BochsScc},
    "spike": {VirtMachine: SpikeVirt, Manycore: SpikeManycore},
}
PROGRAMS: dict[str, Callable[[], Path]] = {"bochs": artifacts.bochs_folder, "spike": artifacts.spike_program}


def need(emulator: str) -> None:
    """Fetch it, if it is one. A test is skipped if its site is not reached, and fails for any other reason."""
    try:
        if emulator:
            PROGRAMS[emulator]()
    except SiteError as error:
        pytest.skip(error.what)


def lets_into_virtual_8086_mode() -> bool:
    """Whether IRET goes there from any ring, as QEMU 7.2 has it: from QEMU 10 on, and on a processor, only from ring 0 (docs/boards.md)."""
    return qemu10.version("qemu-system-i386") < 10


def comes_back_to_a_finished_rep() -> bool:
    """Whether a REP that is stepped through ends with one more step, at RCX = 0: QEMU 10's do, no processor's and not 7.2's (docs/boards.md)."""
    return qemu10.version("qemu-system-x86_64") >= 10


def on(machine: Any, emulator: str) -> Any:
    """`machine` as `emulator` runs it; by QEMU without one."""
    need(emulator)
    return KINDS[emulator][type(machine)](**vars(machine)) if emulator else machine
