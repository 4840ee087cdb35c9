# SPDX-License-Identifier: MIT
"""The scc-fleet board: an emulator for each core of the SCC, which begins at its true reset vector in memory that no other one has; used
like Board.

What the cores share is one file, at the address where the board of one emulator has its shared memory, and doorbells (ivshmem). Kernel
and start-up code are the same; struct scc_info says where the device is. Each emulator has a second core, which is never started: with
one alone QEMU makes LOCK of plain loads and stores, which other processes tear apart. Nothing repeats here, as each process has a
clock of its own; all count by the host's counter, whose rate core 0 measures before the host starts the others.
"""

from __future__ import annotations

import math
import os
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from amalgam import proc
from amalgam.board.console import SCALE, ConsoleError
from amalgam.board.debugger import GDB_PORT, typed
from amalgam.board.ivshmem import Server
from amalgam.board.machine import PACKAGE
from amalgam.board.nodes import Node, NodesBoard
from amalgam.board.scc import SLICE, SccMachine
from amalgam.board.speakers import Speakers
from amalgam.board.started import Refusal
from amalgam.errors import UserError
from amalgam.system.model import System
from amalgam.system.units import MIB

DOORBELL = 0xFEB00000  # the device's registers, and its interrupt table in the page behind them; no memory and no other device is there
SLOT = 4  # of PCI (kernel/board/scc/reset.S)
HZ, UP = 8, 16  # struct scc_shared (board/scc.h): the counter's rate, and a word for each core whose kernel runs
TRANSLATED = 16  # MiB of translated code that an emulator keeps
MEASURED_S = 60  # patience until core 0 has measured the clocks


@dataclass
class SccFleet(SccMachine):
    """What to start."""

    doorbell: int = DOORBELL
    device: str = "ivshmem-doorbell,chardev=peers,vectors=1"
    fill: Callable[[int, int, int], None] | None = None  # (core, file, life): puts everything into a core's memory in place of pieces()
    cpus: int = 2
    accel: str = "tcg,thread=multi"
    gdb_port: int = GDB_PORT  # core N waits for a debugger on port gdb_port + N

    REFUSES = (
        Refusal(("icount", "core", "iso"), "--icount, --core and --iso have no meaning for a fleet of many emulators", "use the board scc"),
    )
    GDB_NOTE = "; cores other than 0 start when core 0 has run and measured the clocks"

    def __post_init__(self) -> None:
        self.memory = SLICE

    def debuggers(self) -> list[tuple[str, str]]:
        return [(f"core {i}", typed(self.gdb_port + i, self.kernel, self.GDB)) for i in sorted(self.chosen)]

    def interactive(self, system: System, logs: Path | None) -> int:
        from amalgam.board.ending import raise_failure
        from amalgam.scc import fleet

        status, said = fleet.interactive(self, system.speakers, logs)
        raise_failure(system, said)
        return status

    def own(self, core: int) -> int:
        return 0

    def command(self) -> list[str]:
        raise UserError("a fleet is an emulator for each core, and this needs one for all", "use the board scc", 2)

    def words(self, ram: int, peer: Path) -> list[str]:
        """The emulator of one core, whose memory is the file `ram`."""
        words = [proc.need(self.program, PACKAGE), "-M", f"{self.machine},memory-backend=ram"]
        words += ["-object", f"memory-backend-file,id=ram,share=on,mem-path=/proc/self/fd/{ram},size={self.memory // MIB}M"]
        words += ["-accel", f"{self.accel},tb-size={TRANSLATED}", "-cpu", self.cpu, "-smp", str(self.cpus), "-m", f"{self.memory // MIB}M"]
        words += ["-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-no-reboot"]
        words += ["-bios", str(self.start_up or self.kernel.with_name("reset.bin"))]
        words += ["-chardev", f"socket,id=peers,path={peer}", "-device", f"{self.device},addr={SLOT}"]
        return words + self.extra

    def load(self, core: int, ram: int, life: int) -> None:
        """Put everything into a core's memory, which is empty."""
        if self.fill:
            self.fill(core, ram, life)
            return
        for piece in self.pieces(core, life):
            os.pwrite(ram, piece.bytes(), piece.at)

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> SccFleetBoard:
        """`kernel` is core 0's console, where lines of the others have their cores' numbers."""
        return SccFleetBoard(self, domains, keep)


class SccFleetBoard(NodesBoard):
    """Starts at `with`, is gone after it. Core 0 has the board's power."""

    def __init__(self, fleet: SccFleet, domains: Sequence[str], keep: Path | None = None):
        fleet.check()
        self.fleet = fleet
        super().__init__(domains, sorted(fleet.chosen), "core", keep, powerful=[0])
        self._server: Server | None = None
        self.memory: dict[int, int] = {}  # of each core: a file, to look into

    @property
    def shared(self) -> int:
        """The memory that all share: a file."""
        assert self._server
        return self._server.memory

    def prepare(self) -> None:
        self._server = Server(self.folder, max(self.nodes) + 1, SLICE)

    def _writer(self, source: int) -> Callable[[bytes], None]:
        return Speakers._writer(self, source)  # core 0 has a control console

    def node_of(self, source: int) -> Node:
        return self.nodes[0]

    def start(self, node: Node) -> None:
        """Power for a core: its memory is loaded, and it leaves reset. Others than core 0 need its figures of the clocks."""
        if node.number:
            self._await_clock()
        ram = self.memory[node.number] = os.memfd_create(f"amalgam-core{node.number}")
        os.ftruncate(ram, self.fleet.memory)
        self.fleet.load(node.number, ram, node.starts + 1)  # it is started below
        super().start(node)

    def _await_clock(self) -> None:
        """Without an end if a debugger holds core 0."""
        end = math.inf if self.fleet.gdb else time.monotonic() + MEASURED_S * SCALE
        while not struct.unpack("<Q", os.pread(self.shared, 8, HZ))[0]:
            if 0 not in self.alive() or time.monotonic() > end:
                said = self.nodes[0].errors.read_text(errors="replace") or self.kernel.tail()
                raise ConsoleError(f"core 0 has not measured the clocks, so no other core starts. It said last:\n{said}")
            time.sleep(0.01)

    def command(self, node: Node, serial: list[str]) -> tuple[list[str], list[int]]:
        """The tagged line is a PC's second port, which only core 0's kernel uses."""
        ram = self.memory[node.number]
        human = ["-chardev", f"file,id=com1,path={self.folder / f'com1-{node.number}.log'}", "-serial", "chardev:com1"]
        words = self.fleet.words(ram, self.folder / f"ivshmem{node.number}")
        if self.fleet.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{self.fleet.gdb_port + node.number}", "-S"]
        return [*words, *human, *serial], [ram]

    def restart(self, cores: Sequence[int]) -> None:
        """Reset cores other than 0, alone: their processes end, if they have not, and others begin with fresh memory."""
        for core in cores:
            node = self.nodes[core]
            assert core and node.process
            if node.process.poll() is None:
                self.kill(core)
            self.clear(node)
            os.close(self.memory.pop(core))
            node.closed.clear()
            os.pwrite(self.shared, bytes(4), UP + 4 * core)  # no kernel runs there
        for core in cores:
            self.start(self.nodes[core])

    def release(self) -> None:
        for file in self.memory.values():
            os.close(file)
        self.memory.clear()
        if self._server:
            self._server.close()
