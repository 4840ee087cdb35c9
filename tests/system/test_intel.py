# SPDX-License-Identifier: MIT
"""Guests by VT-x, on Bochs' Intel processor: the small guests do there what they do by AMD-V on QEMU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.monitor import READY, await_monitor, command
from support import after, ended, listed, said

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}]}


def registers(mark: int) -> dict[str, Any]:
    return GUEST | {"kernel": "build:registers.elf", "cmdline": f"mark={mark} armed={mark % 2} rounds=100"}


CRASH = GUEST | {"kernel": "build:crash.elf", "watchdog": "200ms", "autostart": False}
ENDS = {  # what the guest does, how it is reported
    "triple": r"triple fault: vcpu 0: triple fault",
    "hang": r"watchdog: the watchdog saw no sign of life",
    "spin": r"watchdog: the watchdog saw no sign of life",
    "reset": r"reset: reset control register",
}
SMALL = {
    "hello": GUEST | {"kernel": "build:hello.elf", "memory": "32M"},
    "prefixed": GUEST | {"kernel": "build:prefixed.elf", "hypercalls": True},
    "steps": GUEST | {"kernel": "build:steps.elf", "hypercalls": True},
    "refused": GUEST | {"kernel": "build:refused.elf", "kvm": False},
    **{what: CRASH | {"cmdline": f"mode={what}"} for what in ("beyond", "jump", "state", *ENDS)},
    **{f"r{mark}": registers(mark) for mark in (1, 2, 3)},
}


@pytest.fixture(scope="module")
def small(boot_module: Any) -> Iterator[Any]:
    """Several guests on one core, whose clock is fast: short timers of guests take all of the time of a slow one."""
    with boot_module(
        {"system": "intel-small", "board": "bochs-intel", "cores": 1, "memory": "288M", "domains": SMALL}, emulator="bochs"
    ) as b:
        b.kernel.expect(READY, 60)
        b.kernel.send("help\n")
        yield b


def test_what_is_typed_while_the_kernel_boots_is_answered(small: Any) -> None:
    """Bochs' I/O APIC ignores an edge at an input that is masked, as a real one does."""
    said(small, "kernel", r"^Ctrl-\] leaves the control console")


def test_a_guest_runs_by_vt_x(small: Any) -> None:
    said(small, "kernel", r"^vmx: VT-x has what guests need")
    said(small, "hello", r"hello: cpu GenuineIntel")


def test_each_intercepted_instruction_is_stepped_over_by_the_hardwares_length(small: Any) -> None:
    """VMMCALL among them, which is undefined there."""
    said(small, "prefixed", r"prefixed: ok, \d+ instructions\r*\n")


def test_a_hypervisors_instructions_are_undefined_to_a_guest_in_each_mode_by_vt_x(small: Any) -> None:
    said(small, "refused", r"refused: ok, 175 instructions\r*\n")


def test_a_value_that_an_msr_cannot_have_is_a_fault_of_the_guests_by_vt_x(small: Any) -> None:
    """LSTAR among them, which the kernel writes itself for a guest: there it would be the kernel's own fault."""
    said(small, "refused", r"refused: 7 of 7 values of MSRs are #GP\r*\n")


def test_no_guest_sees_or_spoils_a_register_of_another_by_vt_x(small: Any) -> None:
    """CR2 and the debug registers, which the hardware does not switch, among them."""
    for mark in (1, 2, 3):
        said(small, f"r{mark}", rf"registers: mark={mark} ok, 22 registers, 100 rounds\r?\n")


def test_a_debugger_of_a_guest_sees_each_instruction_that_exits_by_vt_x(small: Any) -> None:
    assert said(small, "steps", r"steps: (ok|WRONG), (\d+) instructions\r*\n").groups() == ("ok", "20")


@pytest.mark.parametrize("what", ENDS)
def test_an_end_of_a_guest_is_reported_by_name_by_vt_x(small: Any, what: str) -> None:
    end = ended(small, what)
    assert re.match(ENDS[what], end), end
    assert listed(small, what)["end"] == end


def test_a_guest_that_waits_in_a_loop_of_pauses_gives_its_core_away_by_vt_x(small: Any) -> None:
    """PAUSE-loop exiting: nothing else that this guest does is of the kind `other`."""
    ended(small, "spin")
    assert int(after(small, "stats spin", "kernel", r"vcpu 0 on core 0: .*other (\d+),", 60)[1]) > 0


def test_a_guest_finds_nothing_beyond_its_own_memory_by_vt_x(small: Any) -> None:
    """Reads are ones, writes go nowhere; code there is undefined."""
    ended(small, "beyond")
    assert said(small, "beyond", r"crash: beyond read ([0-9a-f]+)")[1] == "f" * 16
    said(small, "beyond", "crash: still here")
    ended(small, "jump")
    said(small, "jump", r"exception 6 error=0 rip=40000000 ")


def test_a_state_that_a_processor_refuses_is_a_fault_of_the_guests_by_vt_x(small: Any) -> None:
    """CR0.NW without CD. AMD-V refuses it at the next entry."""
    ended(small, "state")
    said(small, "state", r"exception 13 error=0 ")


def test_a_guest_is_stopped_and_started_again_by_vt_x(small: Any) -> None:
    said(small, "hello", r"hello: cpu GenuineIntel")
    said(small, "kernel", r"^Ctrl-\] leaves the control console")  # the answer to the fixture's question
    await_monitor(small)
    command(small, "restart hello")
    small["hello"].expect(r"hello: cpu GenuineIntel", 60)
    assert " 32 MiB restarts 1" in command(small, "list")
