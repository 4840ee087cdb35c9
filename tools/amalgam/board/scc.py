# SPDX-License-Identifier: MIT
"""The SCC in one emulator process: 48 Pentiums (P54C), each with a kernel of its own in memory of its own.

What sccKit does on the part, from the outside and before the cores leave reset, is done here: each core's lookup table (LUT), the
images in its memory, and what the kernel must know (struct scc_info, kernel/board/scc/include/board/scc.h). An emulated core has no
LUT, so it comes as the page directory with which kernel/board/scc/reset.S enters the kernel, too. docs/scc.md has the memory map.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from amalgam import proc
from amalgam.board import cards
from amalgam.board.debugger import GDB_PORT
from amalgam.board.machine import PACKAGE, Machine
from amalgam.board.seeds import seed
from amalgam.errors import UserError
from amalgam.system.model import System
from amalgam.system.units import MIB

CORES = 48
SLICE = 16 * MIB  # what one entry of a LUT shows
SHARED_ENTRY = 128  # core address 0x80000000
SHARED_AT = (CORES + 1) * SLICE  # behind the cores' own memory
BOARD_MEMORY = SHARED_AT + SLICE
# The coherence checker's words: a line's size, and what of the shared memory is cached how (board/scc.h). Not cached are words and message
# passing buffers, the libraries' words and those of shared pages; the pages are of MPBT memory.
_CACHED = (("uc", 0, 0x160000), ("uc", 0x200000, 0x210000), ("uc", 0x400000, 0x4FF000), ("mpbt", 0x4FF000, 0x1000000))
CHECKED = ("line=32", *(f"{kind}={SHARED_AT + low:x}:{SHARED_AT + high:x}" for kind, low, high in _CACHED))

# Addresses of a core.
DIRECTORY, INFO, KERNEL, SYSTEM = 0x8000, 0x9000, 0x100000, 0x800000
SEED_AT = INFO + 4 * (8 + 256 + 3)  # the end of struct scc_info
MAGIC = 0x30434353
VALID = 1
PRESENT, WRITE, UNCACHED, LARGE = 1, 2, 0x10, 0x80
LIFE_MASK = (1 << 24) - 1  # the last number of a life (kernel/include/life.h)
START_PAGE = 0xF0  # of the start-up code, as cores see it at their start-up interrupt
LAPIC, ROM = 0xFEC00000, 0xFFC00000  # 4 MiB each that the start-up code needs, too


def own_memory(core: int) -> int:
    """Where a core's own memory begins on the board; the first 16 MiB are nobody's."""
    return (core + 1) * SLICE


def lut(own: int) -> list[int]:
    """The 256 entries of a core whose own memory is at `own` on its board: the board's address | VALID; 0 shows nothing."""
    entries = [0] * 256
    entries[0] = own | VALID
    entries[SHARED_ENTRY] = SHARED_AT | VALID
    return entries


def directory(entries: Sequence[int]) -> bytes:
    """The same as a page directory with pages of 4 MiB."""
    words = [0] * 1024
    for number, entry in enumerate(entries):
        for quarter in range(4 if entry & VALID else 0):
            words[4 * number + quarter] = (entry & ~VALID) + quarter * 4 * MIB | PRESENT | WRITE | LARGE
    for address in (LAPIC, ROM):
        words[address >> 22] = address | PRESENT | WRITE | UNCACHED | LARGE
    return struct.pack("<1024I", *words)


def life_number(load: int) -> int:
    """The number of the life that begins when a core's memory is loaded for that time: it goes on from 1 at its end and is never 0."""
    return (load - 1) % LIFE_MASK + 1


def information(
    core: int, entries: Sequence[int], chosen: Sequence[int], system: tuple[int, int], khz: int, doorbell: int, life: int
) -> bytes:
    """struct scc_info up to its seed: images that are kept have none. `system` is where its image lies, and its size. `life` counts the loads of the core's memory from 1 on: no kernel has
    the number of the one before (docs/lives.md)."""
    bits = sum(1 << number for number in chosen)
    head = (MAGIC, core, bits & 0xFFFFFFFF, bits >> 32, SLICE, *system, khz)
    return struct.pack("<8I256I3I", *head, *entries, doorbell, START_PAGE, life_number(life))


@dataclass(frozen=True)
class Piece:
    """What lies at one address of a core."""

    name: str
    content: Path | bytes
    at: int

    def bytes(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()


@dataclass
class SccMachine(Machine):
    """What to start; `chosen` are the cores that boot; `other` are images that some of them have in place of the kernel's amalgam.bin;
    `start_up` is the ROM, if it is not the kernel's; with `iso` it is a plain PC, with cores up to the last of these; `ram` with `loaded` is memory in which everything lies already; `doorbell` is where
    the device of a fleet shall have its registers."""

    chosen: Sequence[int] = tuple(range(CORES))
    other: dict[int, Path] = field(default_factory=dict)
    start_up: Path | None = None
    loaded: bool = False
    at_end: bool = False  # the system image lies at the end of a core's memory: what is before it is one piece, for a guest
    doorbell: int = 0
    folder: tempfile.TemporaryDirectory[str] = field(default_factory=lambda: tempfile.TemporaryDirectory(prefix="amalgam-scc-"))

    @classmethod
    def of(cls, system: System, image: Path | None) -> SccMachine:
        machine = super().of(system, image)
        machine.at_end = system.kernel_has("VM")
        return machine

    def __post_init__(self) -> None:
        self.memory = BOARD_MEMORY  # a system says how much one core has

    def own(self, core: int) -> int:
        """Where its own memory begins, as the emulator that it is in has it."""
        return own_memory(core)

    def check(self) -> None:
        """Refuse a choice of cores that cannot boot."""
        if 0 not in self.chosen or not all(0 <= core < CORES for core in self.chosen):
            raise UserError("core 0 starts the others and prints for them", f"choose 0 and others up to {CORES - 1}", 2)

    def command(self) -> list[str]:
        self.check()
        if self.iso:  # a PC whose cores and memory the kernel finds itself (kernel/board/scc/pc.c)
            self.cores = max(self.chosen) + 1
            return super().command()
        words = [proc.need(self.program, PACKAGE), "-M", f"{self.machine},memory-backend=ram", *self.backing()]
        words += ["-accel", self.accel, "-cpu", self.cpu, "-smp", str(CORES)]
        words += ["-m", f"{self.memory // MIB}M", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        words += ["-bios", str(self.start_up or self.kernel.with_name("reset.bin"))]
        words += self.memory_words()
        if self.icount:
            words += ["-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        if self.gdb:
            words += ["-gdb", f"tcp:127.0.0.1:{GDB_PORT}", "-S"]
        return words + cards.words(self.cards, self.network) + self.extra

    def memory_words(self) -> list[str]:
        """Have the emulator load each chosen core's memory, piece by piece, unless that was done."""
        if self.loaded:
            return []
        return [word for core in self.chosen for piece in [*self.pieces(core), self.seed(core)] for word in self.loader(core, piece)]

    def seed(self, core: int) -> Piece:
        """For the kernel that starts."""
        return Piece("random bytes", seed(self.icount, core), SEED_AT)

    def loader(self, core: int, piece: Piece) -> list[str]:
        file = Path(self.folder.name) / f"core{core}-{piece.at:x}.bin" if isinstance(piece.content, bytes) else piece.content
        if isinstance(piece.content, bytes):
            file.write_bytes(piece.content)
        return ["-device", f"loader,file={file},addr={own_memory(core) + piece.at:#x},force-raw=on"]

    def pieces(self, core: int, life: int = 1) -> list[Piece]:
        """Everything that lies in a core's memory when it leaves reset."""
        size = self.image.stat().st_size if self.image else 0
        at = SLICE - size if self.at_end else SYSTEM
        entries, khz, system = lut(self.own(core)), 1_000_000 if self.icount else 0, (at if size else 0, size)
        start = directory(entries) + information(core, entries, self.chosen, system, khz, self.doorbell, life)
        kernel = self.other.get(core, self.kernel.with_name("amalgam.bin"))
        pieces = [Piece("start-up information", start, DIRECTORY), Piece("kernel", kernel, KERNEL)]
        return pieces + ([Piece("system image", self.image, at)] if self.image else [])
