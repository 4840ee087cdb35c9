# SPDX-License-Identifier: MIT
"""The ppc405 board: one emulator process a core, all over one RAM file; used like Board.

Each core's UART carries the consoles of the guests that it runs, tagged with their numbers; here they become one
console a guest again, wherever it ran. What the kernel says is `kernel`; what it says on one core is `node(i)`.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from amalgam import artifacts, paths
from amalgam.board.debugger import GDB_PORT, SCRIPT_405, typed
from amalgam.board.nodes import Node, NodesBoard
from amalgam.board.started import NO_CORE, NOT_Q35, Started
from amalgam.errors import UserError
from amalgam.system.partition import model, table
from amalgam.system.partition.model import PartitionSystem

CORE_NUMBER = 0xFFF70000  # in the SRAM, 8 bytes: the emulator's loader takes up to 8, the kernel reads the second word


@dataclass
class Fleet(Started):
    """What to start."""

    machine: str
    cores: int
    memory: int
    image: Path
    names: list[str]
    masks: list[int]  # by guest: the cores that may run it
    kernel: Path = field(default_factory=lambda: paths.kernel_elf("ppc405"))
    icount: bool = False  # one instruction = one nanosecond, every core for itself
    shift: int = 0  # with icount: one instruction = 2^shift nanoseconds
    gdb: bool = False  # core N waits for a debugger on port gdb_port + N
    gdb_port: int = GDB_PORT
    tagged: bool = True
    extra: list[str] = field(default_factory=list)

    REFUSES = (NOT_Q35, NO_CORE)

    @classmethod
    def of(cls, system: PartitionSystem, image: Path) -> Fleet:
        assert system.board
        masks = [sum(1 << core for core, _ in d.cores) for d in system.domains]
        return cls(system.board.machine, system.cores, system.memory, image, system.speakers, masks)

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> FleetBoard:
        """The consoles' names are the system's."""
        return FleetBoard(self, keep)

    def interactive(self, system: PartitionSystem, logs: Path | None) -> int:
        from amalgam.board.ending import powerful
        from amalgam.board.screen import focus_of, interactive

        with self.board(keep=logs) as board:
            status = interactive(board, focus_of(system))
            if board.ended() and (error := board.failure(powerful(system))):
                raise error
            return status

    def debuggers(self) -> list[tuple[str, str]]:
        return [(f"core {i}", typed(self.gdb_port + i, self.kernel, script=SCRIPT_405)) for i in range(self.cores)]

    def command(self, core: int, ram: int) -> list[str]:
        """The process of one core; everything but the serial port. `ram`: descriptor of the memory."""
        words = [*artifacts.ppc405_emulator(), "-M", f"{self.machine},memory-backend=ram", "-nodefaults", "-no-user-config"]
        words += ["-object", f"memory-backend-file,id=ram,share=on,mem-path=/proc/self/fd/{ram},size={self.memory}"]
        words += ["-display", "none", "-monitor", "none", "-no-reboot", "-kernel", str(self.kernel)]
        words += ["-device", f"loader,addr={CORE_NUMBER:#x},data={core},data-len=8,data-be=on"]
        if self.icount:
            words += ["-icount", f"shift={self.shift},sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{self.gdb_port + core}", "-S"]
        return words + self.extra


class Ring:
    """The cores' second serial ports: what one sends, the next one receives, without us in between."""

    def __init__(self, folder: Path, cores: int):
        self._folder = folder
        for core in range(cores if cores > 1 else 0):
            os.mkfifo(folder / f"link{core}", 0o600)
            (folder / f"ring{core}.in").symlink_to(f"link{core}")
            (folder / f"ring{core}.out").symlink_to(f"link{(core + 1) % cores}")

    def port(self, core: int) -> list[str]:
        """Words for the emulator of one core: its serial port number 1."""
        path = self._folder / f"ring{core}"
        return ["-chardev", f"pipe,id=ring,path={path}", "-serial", "chardev:ring"] if path.with_suffix(".in").exists() else []


class FleetBoard(NodesBoard):
    """Starts at `with`, is gone after it."""

    def __init__(self, fleet: Fleet, keep: Path | None = None):
        self.fleet = fleet
        super().__init__(fleet.names, range(fleet.cores), "core", keep)
        self._ring = Ring(self.folder, fleet.cores)
        self._ram_file = -1
        self.ram: mmap.mmap | None = None  # the board's memory, to look into

    def failure(self, names: Iterable[str]) -> UserError | None:
        from amalgam.board.ending import fleet_failure

        return fleet_failure(self, names)

    def prepare(self) -> None:
        """The shared memory, empty but for the system's image."""
        self._ram_file = os.memfd_create("amalgam-ram")  # no name in any file system: nothing is left, however we end
        os.ftruncate(self._ram_file, self.fleet.memory)
        self.ram = mmap.mmap(self._ram_file, self.fleet.memory)
        image = table.with_console(self.fleet.image.read_bytes(), self.fleet.tagged)
        self.ram[model.TABLE_ADDRESS : model.TABLE_ADDRESS + len(image)] = image

    def command(self, node: Node, serial: list[str]) -> tuple[list[str], list[int]]:
        return [*self.fleet.command(node.number, self._ram_file), *serial, *self._ring.port(node.number)], [self._ram_file]

    def node_of(self, source: int) -> Node:
        mask = self.fleet.masks[source]
        return next(node for node in self.nodes.values() if mask >> node.number & 1)

    def release(self) -> None:
        if self.ram:
            self.ram.close()
        if self._ram_file >= 0:
            os.close(self._ram_file)
