# SPDX-License-Identifier: MIT
"""The manycore board: one emulator for all clusters, one serial line that the firmware shares out; used by Board."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from amalgam import proc
from amalgam.board import cards
from amalgam.board.board import Board
from amalgam.board.debugger import GDB_PORT, typed
from amalgam.board.places import Places
from amalgam.board.seeds import seed
from amalgam.board.speakers import Speakers
from amalgam.board.started import NO_CORE, Refusal, Started
from amalgam.system.clusters import model, table
from amalgam.system.clusters.model import ClusterSystem
from amalgam.system.units import MIB
from amalgam.ui import Progress

PACKAGE = "qemu-system-misc"
LEAST_MEMORY = 128 * MIB


@dataclass
class Manycore(Started):
    """What to start."""

    emulator: str
    machine: str
    cpu: str
    harts: int
    memory: int
    image: Path
    names: list[str]
    kernels: list[Path]  # the file of each cluster's
    icount: bool = False  # one instruction = one nanosecond, all harts in turns
    gdb: bool = False
    gdb_port: int = GDB_PORT
    accel: str = "tcg,thread=single"
    extra: list[str] = field(default_factory=list)
    cards: int = 0  # for processes of one cluster, which drive them
    disks: list[Path] = field(default_factory=list)
    network: str = ""  # more words for the first card's network (cards.py)
    folder: tempfile.TemporaryDirectory[str] = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="amalgam-manycore-"))

    GDB_NOTE = " (a thread is a hart)"
    REFUSES = (
        Refusal(("iso", "cpu"), "--iso and --cpu do not go with this board", "leave them out"),
        NO_CORE,
        Refusal(("exec",), "--exec goes with domains that have a shell", "leave it out: each cluster's console is shown"),
    )

    @classmethod
    def of(cls, system: ClusterSystem, image: Path) -> Manycore:
        board = system.board
        assert board
        memory = max(-(-(system.end - model.RAM) // MIB) * MIB, LEAST_MEMORY)
        made = cls(board.emulator, board.machine, board.cpu, system.harts, memory, image, system.speakers, kernels_of(system))
        made.cards = system.devices_of("virtio-net")
        made.disks = cards.disk_files(system.name, system.devices_of("virtio-blk"))
        return made

    def refuse(self, system: ClusterSystem, args: argparse.Namespace) -> None:
        super().refuse(system, args)
        cards.refuse_network(args.network, self.cards)

    def take(self, args: argparse.Namespace, progress: Progress) -> None:
        super().take(args, progress)
        self.network = args.network

    def interactive(self, system: ClusterSystem, logs: Path | None) -> int:
        from amalgam.board.screen import interactive

        with self.board(keep=logs) as board:
            return interactive(board, 0)

    def debuggers(self) -> list[tuple[str, str]]:
        return [("", typed(self.gdb_port, "KERNEL", script=""))]

    def words(self, harts: int, image: Path) -> list[str]:
        """One emulator, by the clock of the host."""
        words = [proc.need(self.emulator, PACKAGE), "-M", self.machine, "-cpu", self.cpu, "-smp", str(harts)]
        words += ["-m", f"{self.memory // MIB}M"]
        words += ["-bios", "none", "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-no-reboot"]
        return [*words, "-device", f"loader,file={image},addr={model.RAM:#x},force-raw=on"]

    def command(self) -> list[str]:
        """Everything but the serial port."""
        file = Path(self.folder.name) / "board.img"
        file.write_bytes(table.with_seeds(self.image.read_bytes(), {n: seed(self.icount, n) for n in range(len(self.names))}))
        words = self.words(self.harts, file)
        if self.icount:
            words += ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        else:
            words += ["-accel", self.accel]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{self.gdb_port}", "-S"]
        return words + cards.virtio_words(self.cards, self.network, self.disks) + self.extra

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        """A console a cluster; `kernel` is the firmware's."""
        board = Board(
            lambda line, _log: [*self.command(), "-chardev", f"pipe,id=com,path={line}", "-serial", "chardev:com"], self.names, keep
        )
        self.name_places(board)
        return board

    def name_places(self, board: Speakers) -> None:
        """What a kernel reports by addresses is shown with its functions' names."""
        for name, kernel in zip(self.names, self.kernels, strict=True):
            board[name].places = Places(kernel)


def kernels_of(system: ClusterSystem) -> list[Path]:
    """The file of each cluster's kernel, of a system that was compiled."""
    return [c.kernel.path for c in system.clusters if c.kernel and c.kernel.path]
