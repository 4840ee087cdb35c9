# SPDX-License-Identifier: MIT
"""A device of the board in a guest's hands: its page, its control registers and its interrupt are that guest's alone.

The device is the board's clock chip (page 0xf0001000, a 48T08 with its registers at the end), the bus arbiter (DCRs 0x84 to
0x87), and two interrupt inputs that the test pulls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.fleet import FleetBoard
from amalgam.board.memory import Memory
from probe import CODE, TRAP, Probe, mfdcr, mtdcr, probe_domain
from wires import Wires

PAGE, SECONDS, YEAR = 0xF0001000, 0xF0001FF9, 0xF0001FFF
DCR_FIRST, DCR_COUNT, ARBITER = 0x84, 4, 0x87  # of the arbiter's register five bits exist
NOBODYS = 0x85  # in the arbiter's range, but no register
INPUT, SECOND, FOREIGN = 25, 26, 27
UIC_SR, UIC_ER, UIC_MSR = 0xC0, 0xC2, 0xC6
BRANCH_SELF = 0x48000000
FAULTS = {"fault": "ignore", "reset": "restart"}


def bit(line: int) -> int:
    return 0x80000000 >> line


def system() -> dict[str, Any]:
    device = {"page": PAGE, "dcr": [DCR_FIRST, DCR_COUNT], "interrupts": [INPUT, SECOND]}
    driver = probe_domain(health=FAULTS, device=device, cores=[0])
    domains = {"driver": driver, "other": probe_domain(health=FAULTS, hypercalls=True)}
    return {"system": "lent", "board": "ref405ep", "domains": domains}


@dataclass
class Lent:
    board: FleetBoard
    wires: Wires
    driver: Probe
    other: Probe


@pytest.fixture(scope="module")
def lent(fleet_module: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lent]:
    wires = Wires(tmp_path_factory.mktemp("wires"))
    with fleet_module(system(), extra=[*wires.options, "-rtc", "base=2026-01-01"]) as board, wires:
        yield Lent(board, wires, Probe(board["driver"]), Probe(board["other"]))


def load_byte(probe: Probe, address: int) -> int:
    """What lbz r4, 0(r3) makes of 0x777: that is left where nothing answers."""
    return probe.run([0x88830000, TRAP], address, 0x777).r4


def dcr(probe: Probe, number: int, write: int | None = None) -> int:
    return probe.run([*([mtdcr(number, 3)] if write is not None else []), mfdcr(4, number), TRAP], write or 0).r4


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60 * SCALE
    while not what():
        assert time.monotonic() < end, "it did not happen"


def enable(probe: Probe, inputs: int) -> None:
    probe.run([mtdcr(UIC_SR, 4), mtdcr(UIC_ER, 3), TRAP], inputs | bit(0), inputs)


def test_the_driver_reads_the_clock_chip_and_nobody_else_does(lent: Lent) -> None:
    assert load_byte(lent.driver, YEAR) in (0x58, 0x26)  # of 2026, from 1968 on; or plain
    lent.driver.write_bytes(PAGE, 0x5A, 0xA5)
    assert lent.driver.read_bytes(PAGE, 2) == b"\x5a\xa5"
    first = load_byte(lent.driver, SECONDS)
    until(lambda: load_byte(lent.driver, SECONDS) != first)  # it runs
    for address in (PAGE, SECONDS, YEAR):
        assert load_byte(lent.other, address) == 0x777
    lent.other.run([0x98830000, TRAP], PAGE, 0x11)  # stb r4, 0(r3)
    assert lent.driver.read_bytes(PAGE, 2) == b"\x5a\xa5"
    for outside in (PAGE - 1, PAGE + 0x1000):  # the page, no more
        assert load_byte(lent.driver, outside) == 0x777


def test_the_driver_has_the_control_registers_and_nobody_else(lent: Lent) -> None:
    assert dcr(lent.driver, ARBITER, 0xFFFFFFFF) == 0xF8000000, "no hardware register"
    assert dcr(lent.other, ARBITER, 0x08000000) == 0
    assert dcr(lent.driver, ARBITER) == 0xF8000000
    assert dcr(lent.driver, ARBITER, 0) == 0
    for outside in (DCR_FIRST - 1, DCR_FIRST + DCR_COUNT, 0xF6, 0x10):
        assert dcr(lent.driver, outside, 0xFFFFFFFF) == 0, hex(outside)


def test_a_control_register_that_no_device_has_is_the_drivers_event(lent: Lent) -> None:
    """The bus refuses it. The fault is ignored, so the driver gets a machine check, with the registers that it had."""
    for access in (mfdcr(4, NOBODYS), mtdcr(NOBODYS, 3)):
        state = lent.driver.run([access, TRAP], 0x1234, 0x777)
        assert (state.vector, state.pc, state.r3, state.r4) == ("200", CODE + 4, 0x1234, 0x777)
        last = Memory(lent.board).events("driver")[-1]
        assert (last.event, last.action, last.code) == ("fault", "ignore", 0x700)
    assert dcr(lent.driver, ARBITER) == 0  # its core goes on, and it does
    assert dcr(lent.other, ARBITER) == 0


def test_the_interrupt_reaches_the_driver_and_nobody_else(lent: Lent) -> None:
    driver, other = lent.driver, lent.other
    enable(driver, bit(INPUT))
    enable(other, bit(INPUT) | bit(FOREIGN))
    driver.ask("n", 0)
    other.ask("n", 0)
    lent.wires.set(SECOND, True)  # lent, but not enabled
    lent.wires.set(FOREIGN, True)  # nobody's
    assert driver.ask("c")[0] == 0
    lent.wires.set(INPUT, True)
    until(lambda: driver.ask("c")[0] > 0)
    lent.wires.set(INPUT, False)
    driver.ask("n", 0)
    lent.wires.set(INPUT, True)  # again
    until(lambda: driver.ask("c")[0] > 0)
    for line in (INPUT, SECOND, FOREIGN):
        lent.wires.set(line, False)
    assert other.ask("c")[0] == 0
    assert other.run([mfdcr(4, UIC_MSR), mfdcr(5, UIC_SR), TRAP]).r5 & bit(INPUT) == 0


def test_a_driver_that_does_not_care_costs_its_neighbour_nothing(lent: Lent) -> None:
    """The input asks and asks: it stays masked until the driver acknowledges it, so the core has time for others."""
    enable(lent.driver, bit(INPUT))
    lent.driver.load([BRANCH_SELF])
    lent.driver.tell("x", CODE, 0, 0, 0, 0, 0)  # interrupts off
    lent.wires.set(INPUT, True)
    memory = Memory(lent.board)
    before = memory.vm("other")["exits"], memory.vm("driver")["used"]
    assert lent.other.run([0x3463FFFF, 0x4082FFFC, TRAP], 0x100000).vector == "program"  # counts down a million
    lent.wires.set(INPUT, False)
    assert memory.vm("driver")["used"] != before[1]
    assert lent.other.run([mfdcr(4, UIC_SR), TRAP]).r4 & bit(INPUT) == 0
