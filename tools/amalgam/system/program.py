# SPDX-License-Identifier: MIT
"""What a program's file is: whether a process can be made of it, and the memory that it needs. kernel/process/program.c has the
same rules; it believes nothing of what is checked here."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from amalgam.artifacts.machines import MACHINES, USUAL, Machine

PAGE = 4096
STACK = 16 * 1024  # of the first thread, if the system file does not say it
HEAP = PAGE  # the least: the first thread's variables are there
ET_DYN = 3
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_TLS = 1, 2, 3, 7
PF_X, PF_W = 1, 2
DT_NULL, DT_NEEDED, DT_RELA, DT_RELASZ, DT_REL, DT_RELSZ, DT_TEXTREL = 0, 1, 7, 8, 17, 18, 22
MOST_HEADERS, MOST_SEGMENTS = 64, 8


@dataclass(frozen=True)
class Format:
    """How a file of one class lies (ELF-64 Object File Format 1.5; System V ABI, chapter 4)."""

    bits: int
    word: int  # bytes of an address
    headers: int  # where e_phoff is; e_entry is a word before it
    sizes: int  # where e_phentsize and e_phnum are
    segment: struct.Struct
    order: tuple[str, ...]
    tag: struct.Struct
    relocation: struct.Struct  # offset, info; an addend of a word may follow
    kind: int  # the bits of info that are a relocation's type

    def segments(self, data: bytes) -> list[Segment]:
        at = self.address(data, self.headers)
        (count,) = struct.unpack_from("<H", data, self.sizes + 2)
        found = (self.segment.unpack_from(data, at + i * self.segment.size) for i in range(count))
        return [Segment(**dict(zip(self.order, values, strict=True))) for values in found]

    def address(self, data: bytes, at: int) -> int:
        return int.from_bytes(data[at : at + self.word], "little")


@dataclass
class Program:
    """A file, as a program."""

    wrong: str = ""  # why no process can be made of it
    image: int = 0  # bytes in memory, whole pages

    def least(self, stack: int) -> int:
        """The memory of a process that can hold it, with such a first stack."""
        return self.image + stack + HEAP


@dataclass
class Segment:
    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    size: int
    align: int

    def start(self) -> int:
        return self.address // PAGE * PAGE

    def end(self) -> int:
        return -(-(self.address + self.size) // PAGE) * PAGE


ORDER = {
    64: ("kind", "flags", "offset", "address", "physical", "file_size", "size", "align"),
    32: ("kind", "offset", "address", "physical", "file_size", "size", "flags", "align"),
}
FORMATS = {
    64: Format(64, 8, 32, 54, struct.Struct("<IIQQQQQQ"), ORDER[64], struct.Struct("<QQ"), struct.Struct("<QQ"), 0xFFFFFFFF),
    32: Format(32, 4, 28, 42, struct.Struct("<8I"), ORDER[32], struct.Struct("<II"), struct.Struct("<II"), 0xFF),
}
CLASSES = {32: 1, 64: 2}  # e_ident[EI_CLASS]


def loaded_part(path: Path) -> bytes:
    """What the kernel needs of a program: not its symbols, which follow all that is loaded. The file as it is, if it is none."""
    data = path.read_bytes()
    if not any(wrong_header(data, machine) == "" for machine in MACHINES.values()):
        return data
    form = next(form for form in FORMATS.values() if CLASSES[form.bits] == data[4])
    segments = form.segments(data)
    headers = form.address(data, form.headers) + form.segment.size * len(segments)
    return data[: max([headers, *(s.offset + s.file_size for s in segments if s.kind == PT_LOAD)])]


def examine_program(path: Path, machine: Machine = USUAL) -> Program:
    """Look at a file that is to be a program for that machine."""
    data = path.read_bytes()
    wrong = wrong_header(data, machine)
    if wrong:
        return Program(wrong)
    segments = FORMATS[machine.bits].segments(data)
    loads = [s for s in segments if s.kind == PT_LOAD and s.size]
    wrong = wrong_segments(data, segments, loads, FORMATS[machine.bits]) or wrong_relocations(data, segments, loads, machine)
    return Program(wrong, max((s.end() for s in loads), default=0))


def wrong_header(data: bytes, wanted: Machine) -> str:
    if data[:4] != b"\x7fELF" or len(data) < 64:
        return "it is no ELF file"
    form = FORMATS[wanted.bits]
    if data[4:6] != bytes((CLASSES[form.bits], 1)):
        return f"it is not of {form.bits} bits, least significant byte first"
    kind, machine = struct.unpack_from("<HH", data, 16)
    if machine != wanted.elf:
        return f"it is for another processor (machine {machine}), not {wanted.title}"
    if kind != ET_DYN:
        what = {1: "an object file", 2: "linked to a fixed address"}.get(kind, f"of type {kind}")
        return f"it is {what}, not a static position-independent program"
    at = form.address(data, form.headers)
    size, count = struct.unpack_from("<HH", data, form.sizes)
    if size != form.segment.size or at + size * count > len(data):
        return "its program headers are cut off or malformed"
    return f"it has {count} program headers, more than {MOST_HEADERS}" if count > MOST_HEADERS else ""


def wrong_segments(data: bytes, segments: list[Segment], loads: list[Segment], form: Format) -> str:
    entry = form.address(data, form.headers - form.word)
    if any(s.kind == PT_INTERP for s in segments):
        return "it wants a dynamic linker"
    if not 1 <= len(loads) <= MOST_SEGMENTS:
        return f"it has {len(loads)} segments to load, not 1 to {MOST_SEGMENTS}"
    for s in loads:
        if s.offset + s.file_size > len(data) or s.file_size > s.size or s.address + s.size >= 1 << 46:
            return f"its segment at {s.address:#x} is cut off or malformed"
        if s.flags & PF_W and s.flags & PF_X:
            return f"its segment at {s.address:#x} is both writable and executable"
    for before, after in pairwise(loads):
        if after.start() < before.end():
            return f"its segment at {after.address:#x} shares a page with the one before it, or comes too late"
    if not any(s.flags & PF_X and s.address <= entry < s.address + s.size for s in loads):
        return f"its entry {entry:#x} is not in its code"
    tls = next((s for s in segments if s.kind == PT_TLS), None)
    if tls and (tls.align & (tls.align - 1) or tls.align > PAGE or tls.file_size > tls.size):
        return "its thread-local variables are malformed"
    return ""


def whole_size(size: int, entry: int) -> int:
    """Without the part of an entry at the end."""
    return size // entry * entry


def wrong_relocations(data: bytes, segments: list[Segment], loads: list[Segment], machine: Machine) -> str:
    """It must relocate itself by nothing but relative relocations, in what it may write."""
    dynamic = next((s for s in segments if s.kind == PT_DYNAMIC), None)
    if not dynamic:
        return ""
    form = FORMATS[machine.bits]
    tags: dict[int, int] = {}
    table = data[dynamic.offset : dynamic.offset + dynamic.file_size]
    for tag, value in form.tag.iter_unpack(table[: whole_size(len(table), form.tag.size)]):
        if tag == DT_NULL:
            break
        tags.setdefault(tag, value)
    if DT_NEEDED in tags:
        return "it needs shared libraries"
    if DT_TEXTREL in tags and not machine.spare_relocations:
        return "it has relocations in its code"
    at, size = tags.get(DT_RELA if machine.addends else DT_REL, 0), tags.get(DT_RELASZ if machine.addends else DT_RELSZ, 0)
    if (DT_REL if machine.addends else DT_RELA) in tags:
        return "its relocations are of the other kind (REL, RELA)"
    holder = next((s for s in loads if s.address <= at and at + size <= s.address + s.file_size), None)
    if size and not holder:
        return "its relocations lie outside of it"
    if not holder:
        return ""
    start = at - holder.address + holder.offset
    step = form.relocation.size + (form.word if machine.addends else 0)
    for i in range(start, start + whole_size(size, step), step):
        where, info = form.relocation.unpack_from(data, i)
        if not info and machine.spare_relocations:
            continue
        if info & form.kind != machine.relative:
            return f"it has a relocation of type {info & form.kind} at {where:#x}, which nobody applies"
        if not any(s.flags & PF_W and s.address <= where <= s.address + s.size - form.word for s in loads):
            return f"it has a relocation at {where:#x}, where it may not write"
    return ""
