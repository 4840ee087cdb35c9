# SPDX-License-Identifier: MIT
"""Ways for a CPU to be bare: what test_interrupt_commands.py relies on, and why no CPU may be offline when something is given."""

from __future__ import annotations

from typing import Any

from amalgam.system.units import MIB
from test_interrupt_commands import INIT, POKE, START


def test_with_nothing_given_root_can_start_a_cpu_bare(boot_linux: Any) -> None:
    """What the other tests rely on: the program that they start, from CPU 0, works. (On silicon VM_CR.R_INIT stops even this one.)"""
    with boot_linux(cores=2) as host:
        host.ok("amalgam load; amalgam attach; dmesg -n 8")
        host.board.console.send(f"taskset 1 insmod {POKE} look=0x7000 dest=1 icr={INIT:#x},{START:#x}\n")
        host.board.console.expect(r"the started CPU read ....8cfa", 60)  # CLI and the first byte of MOV, its own


def test_a_cpu_that_is_offline_must_come_online_first(boot_linux: Any) -> None:
    with boot_linux(cores=3, memory=1536 * MIB, accel="tcg,thread=single") as host:
        host.ok("amalgam load; amalgam attach; echo 0 >/sys/devices/system/cpu/cpu2/online")
        host.refused("amalgam cpu give 1", "is offline, so it could be started with nothing beneath it")
        host.refused("amalgam memory give 1M", "is offline, so it could be started with nothing beneath it")
        host.ok("echo 1 >/sys/devices/system/cpu/cpu2/online; amalgam cpu give 1; amalgam cpu give 2; amalgam memory give 1M")
        host.ok("amalgam cpu take 2")  # beside one that is still given
        assert host.ok("cat /sys/devices/system/cpu/online") == "0,2\n"
        host.ok("amalgam cpu give 2; amalgam cpu take 2; amalgam cpu take 1; amalgam memory take; amalgam detach; amalgam unload")
        assert host.ok("cat /sys/devices/system/cpu/online") == "0-2\n"
        assert host.complaints(memory=True) == []


def test_the_local_apic_costs_nothing_until_something_is_given(boot_linux: Any) -> None:
    """Counted: instructions (ticks) for a write to a register of it, by root's module."""
    write = f"insmod {POKE} apic=0x80 value=0 times=1000; rmmod amalgam_poke; dmesg | sed -n 's/.*poke: \\([0-9]*\\) ticks a write/\\1/p' | tail -1"
    with boot_linux(cores=1, memory=1536 * MIB, icount=True) as host:
        bare = int(host.ok(write))
        host.ok("amalgam load; amalgam attach")
        assert int(host.ok(write)) == bare
        host.ok("amalgam memory give 1M")
        assert bare < int(host.ok(write)) < 1200
        host.ok("amalgam memory take")
        assert int(host.ok(write)) == bare
