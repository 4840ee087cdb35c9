# SPDX-License-Identifier: MIT
"""A writer of ELF core files as Linux writes them (core(5), System V ABI "Note Section"), which gdb opens beside the program.

Segments come first, then the notes: a thread's registers each (NT_PRSTATUS and NT_FPREGSET, the one that faulted first), who it was (NT_PRPSINFO), the
signal that Linux would have sent (NT_SIGINFO), and the auxiliary vector (NT_AUXV), by which gdb finds where the program was loaded.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PAGE = 4096
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")  # type, flags, offset, vaddr, paddr, filesz, memsz, align
ET_CORE, PT_LOAD, PT_NOTE = 4, 1, 4
NT_PRSTATUS, NT_FPREGSET, NT_PRPSINFO, NT_AUXV, NT_SIGINFO = 1, 2, 3, 6, 0x53494749
READ, WRITE, EXEC = 4, 2, 1  # PF_*
MOST_SEGMENTS = 0xFFFE  # e_phnum, one of which is for the notes
SIGNALS = {"SIGILL": 4, "SIGTRAP": 5, "SIGBUS": 7, "SIGFPE": 8, "SIGSEGV": 11}


@dataclass
class Thread:
    """One of the process's: its number from 0 on, the general registers in the order of Linux' user_regs_struct, and what Linux has as
    elf_fpregset_t."""

    number: int
    registers: list[int]
    floating: bytes


@dataclass
class Piece:
    """Pages that follow each other and may be used alike: address, PF_*, and where the bytes of each page are in the board's memory."""

    address: int
    rights: int
    pages: list[int]


@dataclass
class Core:
    """All that goes into the file."""

    machine: int  # e_machine
    name: str
    arguments: str
    signal: int
    address: int  # that could not be reached, or 0
    threads: list[Thread]  # the one that faulted first
    vector: list[tuple[int, int]]  # auxiliary, without AT_NULL
    pieces: list[Piece]


def note(kind: int, content: bytes) -> bytes:
    padded = content + bytes(-len(content) % 4)
    return struct.pack("<III8s", 5, len(content), kind, b"CORE") + padded


def status_of(thread: Thread, signal: int) -> bytes:
    """struct elf_prstatus of 64-bit Linux, whose registers begin at 112 on every machine. The signal stands in each thread's, as gdb
    believes the last one. Thread N is LWP N + 1 to gdb."""
    head = struct.pack("<iiihxxQQiiii", signal, 0, 0, signal, 0, 0, thread.number + 1, 0, 1, 1).ljust(112, b"\0")
    return head + struct.pack(f"<{len(thread.registers)}Q", *thread.registers) + bytes(8)


def registers_of(thread: Thread, signal: int) -> bytes:
    return note(NT_PRSTATUS, status_of(thread, signal)) + note(NT_FPREGSET, thread.floating)


def notes(core: Core) -> bytes:
    who = struct.pack("<bcbbxxxxQIIiiii16s80s", 0, b"R", 0, 0, 0, 0, 0, 1, 0, 1, 1, core.name.encode()[:15], core.arguments.encode()[:79])
    information = struct.pack("<iiixxxxQ", core.signal, 0, 1, core.address).ljust(128, b"\0")
    vector = b"".join(struct.pack("<QQ", key, value) for key, value in [*core.vector, (0, 0)])
    first, *others = core.threads
    return b"".join(
        [
            registers_of(first, core.signal),
            note(NT_PRPSINFO, who),
            note(NT_SIGINFO, information),
            note(NT_AUXV, vector),
            *(registers_of(thread, core.signal) for thread in others),
        ]
    )


def contents(core: Core, page: Callable[[int], bytes]) -> Iterator[bytes]:
    """The file's bytes in order; `page` has the bytes of one page of the board's memory."""
    count = len(core.pieces) + 1
    text = notes(core)
    at = HEADER.size + count * SEGMENT.size
    ident = b"\x7fELF\2\1\1".ljust(16, b"\0")
    yield HEADER.pack(ident, ET_CORE, core.machine, 1, 0, HEADER.size, 0, 0, HEADER.size, SEGMENT.size, count, 0, 0, 0)
    yield SEGMENT.pack(PT_NOTE, 0, at, 0, 0, len(text), 0, 4)
    place = start = -(-(at + len(text)) // PAGE) * PAGE
    for piece in core.pieces:
        size = len(piece.pages) * PAGE
        yield SEGMENT.pack(PT_LOAD, piece.rights, place, piece.address, 0, size, size, PAGE)
        place += size
    yield text.ljust(start - at, b"\0")
    for piece in core.pieces:
        for where in piece.pages:
            yield page(where)


def write_core(core: Core, page: Callable[[int], bytes], path: Path) -> None:
    """Write it beside `path` and rename it, so that nobody opens half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        for piece in contents(core, page):
            out.write(piece)
    part.replace(path)
