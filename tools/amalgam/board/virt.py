# SPDX-License-Identifier: MIT
"""The command line of the virt board: QEMU's machine virt under OpenSBI."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from amalgam import proc
from amalgam.board import cards
from amalgam.board.debugger import GDB_PORT
from amalgam.board.machine import Machine
from amalgam.board.started import Refusal
from amalgam.errors import UserError
from amalgam.system.units import MIB


class VirtMachine(Machine):
    """QEMU's machine virt with the distribution's OpenSBI as firmware, one serial port."""

    GDB = "gdb-multiarch"
    REFUSES = (Refusal(("iso",), "--iso goes with boards that are PCs"),)

    def channels(self, human: list[str], tagged: list[str]) -> list[str]:
        """The tagged channel has the port, as soon as somebody wants it; the kernel is told."""
        return [*tagged, "-append", "tagged"] if tagged else human

    def remind(self, process: subprocess.Popen[bytes]) -> None:
        """Have the emulator look for alarms that it has forgotten (docs/riscv.md). It reads this signal in its main loop and ignores it."""
        if self.icount:
            process.send_signal(signal.SIGIO)

    def command(self) -> list[str]:
        """Time does not jump while all harts wait (sleep=on): OpenSBI has set each hart's own timer to the end of time."""
        words = [
            proc.need(self.program, "qemu-system-misc"),
            "-M",
            f"{self.machine},memory-backend=ram",
            *self.backing(),
            "-accel",
            self.accel,
            "-cpu",
            self.cpu,
        ]
        words += ["-smp", str(self.cores), "-m", f"{self.memory // MIB}M", "-nodefaults", "-no-user-config", "-display", "none"]
        words += ["-no-reboot", "-bios", str(firmware()), "-kernel", str(self.kernel)]
        words += ["-initrd", str(self.image)] if self.image else []
        if self.icount:
            words += ["-icount", "shift=0", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{GDB_PORT}", "-S"]
        return words + cards.virtio_words(self.virtio_cards, self.network, self.disks) + self.extra


def firmware() -> Path:
    """OpenSBI of the package."""
    path = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin")
    if not path.is_file():
        raise UserError(f"the firmware {path} is not there", "./amalgam setup installs the package opensbi")
    return path
