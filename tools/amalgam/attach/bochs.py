# SPDX-License-Identifier: MIT
"""Stock Debian on Bochs, from a CD image with GRUB, where amalgam attach can be tried on an AMD-V that shares no code with QEMU's (docs/boards.md)."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.attach.bzimage import bzimage
from amalgam.attach.machine import LinuxMachine
from amalgam.board.bochs import BochsPc, SocketLine
from amalgam.board.line import Line
from amalgam.board.serial import SerialBoard

HIDDEN = ",-hypervisor"  # Bochs never calls itself one
WITHOUT = "clearcpuid=mwaitx,xsave"  # instructions that Bochs does wrong: docs/boards.md
GRUB = """set timeout=0
menuentry "Linux" {{
    linux /boot/vmlinuz {words}
    initrd /boot/initrd
    boot
}}
"""


@dataclass
class BochsLinux(LinuxMachine):
    """Its kernel is an ELF file, as quick() leaves it. What is only QEMU's (`accel`, `icount`, `extra`) is not looked at."""

    ips: int = 50_000_000

    PATIENCE = 600

    def iso(self) -> Path:
        """The CD image. Linux has its console on the second port, which Bochs can read and write."""
        grub = proc.need("grub-mkrescue", "grub-common")
        proc.need("xorriso", "xorriso")
        target = paths.BUILD / "iso" / f"bochs-{self.initrd.stem}.iso"
        words = f"{self.cmdline} {WITHOUT} {self.append}".strip().replace("ttyS0", "ttyS1")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="amalgam-iso-", dir=target.parent) as work:
            boot = Path(work) / "root" / "boot"
            (boot / "grub").mkdir(parents=True)
            (boot / "vmlinuz").write_bytes(bzimage(self.kernel.read_bytes()))
            shutil.copy(self.initrd, boot / "initrd")
            (boot / "grub" / "grub.cfg").write_text(GRUB.format(words=words), encoding="ascii")
            made = Path(work) / "out.iso"
            proc.run([grub, "-o", made, boot.parent], "making the CD image")
            made.replace(target)
        return target

    def board(self, logs: Path | None = None) -> SerialBoard:
        return BochsLinuxBoard(self, self.iso(), logs)


class BochsLinuxBoard(SerialBoard):
    """It running."""

    LINE = SocketLine

    def __init__(self, machine: BochsLinux, iso: Path, keep: Path | None):
        self._pc = BochsPc(cpu=machine.cpu.removesuffix(HIDDEN), cores=machine.cores, memory=machine.memory, ips=machine.ips)
        self._iso = iso
        super().__init__("linux", machine.command, keep)

    def _words(self, folder: Path, line: Line) -> list[str]:
        assert isinstance(line, SocketLine)
        made = artifacts.bochs_folder()
        return self._pc.started(made, self._iso, folder, line.port)
