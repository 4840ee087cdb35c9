# SPDX-License-Identifier: MIT
"""The bare board with stock Debian on it. It is bare in Linux' eyes too: the emulator does not call itself a hypervisor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.artifacts import kernel
from amalgam.board.machine import PACKAGE, PROGRAM
from amalgam.board.serial import SerialBoard
from amalgam.system.units import MIB
from amalgam.ui import Progress

BARE = "EPYC,+svm,-hypervisor"
CMDLINE = "console=ttyS0 panic=1 quiet"
NO_SELF_TESTS = "cryptomgr.notests"


@dataclass
class LinuxMachine:
    """What to start."""

    initrd: Path
    kernel: Path
    cores: int = 1
    memory: int = 1024 * MIB
    cpu: str = BARE
    cmdline: str = CMDLINE
    append: str = ""
    accel: str = "tcg"
    icount: bool = False
    reboot: bool = False  # a reset starts it again, with what its memory holds; else it ends the board
    extra: list[str] = field(default_factory=list)
    release: str = ""
    """Linux' own name for its version."""

    PATIENCE = 150  # seconds until its shell answers

    def command(self, _work: Path | None = None) -> list[str]:
        """Everything but the serial port."""
        words = [proc.need(PROGRAM, PACKAGE), "-M", "q35", "-accel", self.accel, "-cpu", self.cpu, "-smp", str(self.cores)]
        words += ["-m", f"{self.memory // MIB}M", "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none"]
        words += [] if self.reboot else ["-no-reboot"]
        words += ["-kernel", str(self.kernel), "-initrd", str(self.initrd), "-append", f"{self.cmdline} {self.append}".strip()]
        if self.icount:
            words += ["-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        return words + self.extra

    def board(self, logs: Path | None = None) -> SerialBoard:
        """It running; the console is Linux' serial line with a shell."""
        return SerialBoard("linux", self.command, logs)


def linux_machine(initrd: Path, progress: Progress, meta: str = kernel.META) -> LinuxMachine:
    """The kernel of package `meta` with an initrd."""
    vmlinuz = artifacts.debian("vmlinuz", progress, meta=meta)
    return LinuxMachine(initrd, vmlinuz, release=kernel.find(paths.CACHE, progress, meta).release)


def quick(machine: LinuxMachine, progress: Progress, meta: str = kernel.META) -> LinuxMachine:
    """The same without what a boot spends most of its instructions on: the kernel is unpacked already, and its ciphers are not tested."""
    return replace(machine, kernel=artifacts.debian("vmlinux", progress, meta=meta), cmdline=f"{CMDLINE} {NO_SELF_TESTS}")
