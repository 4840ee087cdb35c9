# SPDX-License-Identifier: MIT
"""How Linux ends while the kernel is beneath it: as it would without."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam import artifacts
from amalgam.system.units import MIB
from linuxhost import Host

KEXEC = "kexec-now /lib/vmlinuz 'console=ttyS0 panic=1 nr_cpus=1 amalgam.second'"
SECOND = r"Command line: .*amalgam.second"
POKE = "/lib/modules/amalgam-poke.ko"
END = r"Unable to mount root fs"  # it has no initrd


def attached(host: Host) -> None:
    host.ok("amalgam load; amalgam attach")


@pytest.mark.parametrize("cores", [1, 2])
def test_a_crash_prints_its_panic_and_reboots(boot_linux: Any, cores: int) -> None:
    with boot_linux(cores=cores) as host:
        attached(host)
        host.board.console.send("echo c >/proc/sysrq-trigger\n")
        host.board.console.expect(r"Kernel panic - not syncing", 60)
        host.board.console.expect(r"Rebooting in 1 seconds", 60)
        assert host.board.wait(60) == 0  # -no-reboot: a reset ends the board


@pytest.mark.parametrize("way", ["reboot -f", "poweroff -f"])
def test_a_restart_takes_the_kernel_out_before(boot_linux: Any, way: str) -> None:
    with boot_linux(cores=2) as host:
        attached(host)
        host.ok("dmesg -n 8")
        host.board.console.send(f"{way}\n")
        assert host.board.wait(60) == 0
        assert "still attached" not in host.board.console.text


@pytest.fixture
def vmlinuz() -> Any:
    """The stock kernel as a file, to start from Linux."""
    return {"lib/vmlinuz": artifacts.debian("vmlinuz", lambda _text: None)}


def test_a_kexec_takes_the_kernel_out_before(boot_linux: Any, vmlinuz: Any) -> None:
    with boot_linux(cores=2, memory=1536 * MIB, files=vmlinuz) as host:
        attached(host)
        host.board.console.send(f"{KEXEC}\n")
        host.board.console.expect(SECOND, 120)
        host.board.console.expect(END, 120)
        assert host.board.wait(60) == 0
        assert "still attached" not in host.board.console.text


def test_a_kexec_while_something_is_given_is_a_reset(boot_linux: Any, vmlinuz: Any) -> None:
    with boot_linux(cores=2, memory=1536 * MIB, files=vmlinuz) as host:
        attached(host)
        host.ok("amalgam memory give 1M; amalgam cpu give 1")
        host.board.console.send(f"{KEXEC}\n")
        host.board.console.expect(r"no kexec, the machine is reset", 120)
        assert host.board.wait(60) == 0
        assert END not in host.board.console.text


def test_a_crash_kernel_runs_while_something_is_given(boot_linux: Any, vmlinuz: Any) -> None:
    """kdump: in memory that was reserved at boot, on the CPU that crashed, with the kernel still beneath and the rest given."""
    with boot_linux(cores=2, memory=1536 * MIB, files=vmlinuz, append="crashkernel=256M") as host:
        attached(host)
        host.ok(f"amalgam memory give 1M; amalgam cpu give 1; {KEXEC} crash")
        host.board.console.send("echo c >/proc/sysrq-trigger\n")
        host.board.console.expect(r"Kernel panic - not syncing|sysrq triggered crash|SysRq|Oops", 60)
        host.board.console.expect(SECOND, 120)
        host.board.console.expect(END, 180)
        assert host.board.wait(60) == 0


def test_a_cpu_that_cannot_be_entered_again_does_not_go_on_bare(boot_linux: Any) -> None:
    """The emulator leaves a guest that loads a reserved bit of CR3 as if VMRUN had refused it; with something given that is a reset."""
    with boot_linux(cores=2, memory=1536 * MIB) as host:
        attached(host)
        host.ok("amalgam memory give 1M")
        host.board.console.send(f"taskset 1 insmod {POKE} cr3={1 << 51:#x}; echo went on; dmesg | tail -3\n")
        assert host.board.wait(60) == 0
        assert "\nwent on" not in host.board.console.text
