# SPDX-License-Identifier: MIT
"""The command line of a board: QEMU with exactly the devices that boards/NAME.yaml promises."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from amalgam import paths, proc
from amalgam.board import cards
from amalgam.board.debugger import GDB_PORT, SCRIPT, SCRIPTS_RING1, typed
from amalgam.board.seeds import seed
from amalgam.board.started import NO_CORE, Started
from amalgam.errors import UserError
from amalgam.system import driven
from amalgam.system.families import family_named
from amalgam.system.model import Kind, System
from amalgam.system.units import MIB
from amalgam.ui import Progress

if TYPE_CHECKING:
    from amalgam.board.board import Board
    from amalgam.board.fleet import Fleet
    from amalgam.board.manycore import Manycore
    from amalgam.board.nodes import NodesBoard
    from amalgam.system.clusters.model import ClusterSystem
    from amalgam.system.partition.model import PartitionSystem

PROGRAM = "qemu-system-x86_64"
PACKAGE = "qemu-system-x86"


@dataclass
class Machine(Started):
    """What to start."""

    machine: str = "q35"
    cpu: str = "EPYC,+svm"
    cores: int = 2
    memory: int = 2048 * MIB
    kernel: Path = field(default_factory=paths.kernel_elf)
    image: Path | None = None  # the system image, given as the kernel's module
    iso: Path | None = None  # boot this instead of kernel and image
    icount: bool = False  # one instruction = one nanosecond, every run the same
    gdb: bool = False  # wait for a debugger on port 1234
    ram: int | None = None  # the descriptor of a file that is its memory, which spawn() has to pass on
    accel: str = "tcg"
    extra: list[str] = field(default_factory=list)
    program: str = PROGRAM
    serial_ports: int = 2
    cards: int = 0  # network cards, for processes that drive them: RTL8139,
    virtio_cards: int = 0  # and virtio ones
    seeded: bool = False  # its kernel takes random bytes from its command line
    ring1: bool = False  # its guests are in ring 1
    disks: list[Path] = field(default_factory=list)  # files that are disks, for processes that drive them
    network: str = ""  # more words for the first one's network (cards.py)

    GDB = "gdb"  # the debugger that knows its instruction set

    @classmethod
    def of(cls, system: System, image: Path | None) -> Machine:
        board = system.board
        assert board
        machine = cls(
            board.machine, board.cpu, system.cores, system.memory, paths.kernel_elf(system.shape()), image, program=board.emulator
        )
        machine.serial_ports = board.serial_ports
        machine.cards = driven.highest(system, "rtl8139")
        machine.virtio_cards = driven.highest(system, "virtio-net")
        machine.ring1 = board.family == "pc" and system.kernel_has("PARA")
        machine.seeded = board.family == "pc" and system.kernel_has("SEED")
        machine.disks = cards.disk_files(system.name, driven.highest(system, "virtio-blk"))
        return machine

    def refuse(self, system: System, args: argparse.Namespace) -> None:
        super().refuse(system, args)
        cards.refuse_network(args.network, self.cards + self.virtio_cards)
        if args.core and all(d.kind != Kind.PROCESS for d in system.domains):
            raise UserError(NO_CORE.what, NO_CORE.step, 2)

    def take(self, args: argparse.Namespace, progress: Progress) -> None:
        from amalgam.build.iso import make_iso_of

        super().take(args, progress)
        self.cpu = args.cpu or self.cpu
        self.network = args.network
        if args.iso:
            assert self.image
            self.iso = make_iso_of(self.kernel.parent.name, self.image.stem, self.image, progress)

    def interactive(self, system: System, logs: Path | None) -> int:
        from amalgam.board.terminal import on_terminal

        return on_terminal(self, system)

    def debuggers(self) -> list[tuple[str, str]]:
        return [("", typed(GDB_PORT, self.kernel, self.GDB, SCRIPTS_RING1 if self.ring1 else SCRIPT))]

    def channels(self, human: list[str], tagged: list[str]) -> list[str]:
        """Words for the serial ports, of which each one's words make a character device and a port of it."""
        return human + tagged

    def backing(self) -> list[str]:
        """Words for the memory. It is backed as it is touched, so that a board may have more than its host."""
        size = f"size={self.memory // MIB}M"
        if self.ram is None:
            return ["-object", f"memory-backend-ram,id=ram,{size},reserve=off"]
        return ["-object", f"memory-backend-file,id=ram,share=on,mem-path=/proc/self/fd/{self.ram},{size}"]

    def passed(self) -> tuple[int, ...]:
        """Descriptors that the emulator inherits."""
        return () if self.ram is None else (self.ram,)

    def remind(self, process: subprocess.Popen[bytes]) -> None:
        """Called five times a second while the board says nothing, when it has said something before."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board | NodesBoard:
        from amalgam.board.board import Board

        return Board(self, domains, keep)

    def command(self) -> list[str]:
        """Everything but the serial ports."""
        words = [
            proc.need(self.program, PACKAGE),
            "-M",
            f"{self.machine},memory-backend=ram",
            *self.backing(),
            "-accel",
            self.accel,
            "-cpu",
            self.cpu,
            "-smp",
            str(self.cores),
            "-m",
            f"{self.memory // MIB}M",
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
            "-no-reboot",
        ]
        if self.iso:
            words += ["-cdrom", str(self.iso), "-boot", "d"]
        else:
            words += ["-kernel", str(self.kernel)]
            words += ["-initrd", str(self.image)] if self.image else []
            words += ["-append", f"seed={seed(self.icount).hex()}"] if self.seeded else []
        if self.icount:
            words += ["-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{GDB_PORT}", "-S"]
        return words + cards.words(self.cards, self.network, self.virtio_cards, self.disks) + self.extra


@overload
def machine_for(system: System, image: Path | None) -> Machine: ...
@overload
def machine_for(system: PartitionSystem, image: Path) -> Fleet: ...
@overload
def machine_for(system: ClusterSystem, image: Path) -> Manycore: ...
def machine_for(system: Any, image: Path | None) -> Started:
    """The machine that a system asks for, by its board's family."""
    return family_named(system.board.family).machine(system, image)
