# SPDX-License-Identifier: MIT
"""Native programs of a system, which run in kernel space on the cores of an SCC: read from YAML, and looked at as files.
kernel/native/elf32.c has the same rules of a file; it believes nothing of what is checked here."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from amalgam.system.model import STACK_MOST, STACK_STEP, Boot, Domain, DomainFlag, Kind, KvmFeature, System
from amalgam.system.processes import MOST_STRINGS, stem
from amalgam.system.reader import Map, file_ref
from amalgam.system.source import Diagnostics, Mark
from amalgam.system.ues import read_ues
from amalgam.system.units import KIB, MIB

NATIVE_KEYS = ("kind", "program", "arguments", "ues", "memory", "stack", "priority", "focus", "power", "autostart")
STACK = 64 * KIB  # of each thread, if the system file does not say it
GUARD = 4 * KIB  # below each stack of a shared program
HEAP = 4 * KIB  # the least beside it
CLOCK = "1.0"  # GHz, as RCCE's launcher says it: the counter's rate under icount
EM_386, ET_DYN, R_386_RELATIVE = 3, 3, 8
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_TLS = 1, 2, 3, 7
PT_SHARED = 0x6053564D  # kernel/native/elf32.h
DT_NEEDED, DT_REL, DT_RELSZ = 1, 17, 18
SEGMENT = struct.Struct("<8I")  # type, offset, vaddr, paddr, filesz, memsz, flags, align


def read_native(name: str, mark: Mark, m: Map, flags: DomainFlag) -> Domain:
    for key in m.nodes:
        if key not in NATIVE_KEYS:
            right = f"its keys are {', '.join(NATIVE_KEYS)}"
            m.diag.error(m.keys[key], f"domain '{name}' is a native program and has no '{key}'", right)
    m.require("program", "a native program names its file: a path, or build:NAME.elf")
    program = file_ref(m, "program")
    arguments = [text for text, _mark in m.words("arguments", "texts", lambda text: text if "\0" not in text else None)]
    cores = read_ues(m)
    own = arguments or [stem(program)]
    return Domain(
        mark,
        {key: m.at(key) for key in m.nodes},
        name,
        Kind.NATIVE,
        Boot.RAW,
        1,
        [(0, m.mark)],
        memory=m.size("memory", MIB, 128 * KIB, 8 * MIB, 4 * KIB),
        kernel=program,
        initrd=None,
        modules=[],
        cmdline="",
        entry=0,
        acpi=False,
        priority=m.integer("priority", 8, 1, 31),
        watchdog_ms=0,
        flags=flags,
        kvm=KvmFeature(0),
        task="",
        devices=[],
        arguments=[own[0], str(len(cores)), CLOCK, *(f"{core:02}" for core in cores), *own[1:]],
        threads=1,
        ues=cores,
        stack=m.size("stack", STACK, STACK_STEP, STACK_MOST, STACK_STEP),
    )


def check_native(system: System, domain: Domain, diag: Diagnostics) -> None:
    """The kernel of its board must have native programs."""
    if system.board and not system.board.is_scc():
        diag.error(
            domain.where("kind"),
            f"'{domain.name}' is a native program, but the kernel of the board {system.board.name} (shape {system.board.shape}) has none",
            "say 'board: scc'",
        )
    if len(domain.arguments) > MOST_STRINGS:
        diag.error(domain.where("arguments"), f"{len(domain.arguments)} arguments with RCCE's own", f"at most {MOST_STRINGS}")


def most_own(stack: int) -> int:
    """Bytes of thread-local variables that a stack has room for: what calls need stays free."""
    return stack // 4 * 3


@dataclass
class NativeProgram:
    """A file, as a native program."""

    wrong: str = ""  # why the kernel would not load it
    image: int = 0  # bytes in memory
    shared: bool = False  # it is one program on all cores, with a stack for each
    own: int = 0  # bytes of thread-local variables, which are on a thread's stack (user/openmp/start/start.c)

    def least(self, stack: int, cores: int) -> int:
        """The memory of a domain on so many cores that can hold it."""
        stacks = (stack + GUARD) * cores if self.shared else stack
        return -(-(self.image + stacks + HEAP) // (4 * KIB)) * 4 * KIB


def examine_native(path: Path) -> NativeProgram:
    data = path.read_bytes()
    if data[:4] != b"\x7fELF" or len(data) < 52 or data[4:6] != b"\1\1":
        return NativeProgram("it is no ELF file of 32 bits")
    kind, machine = struct.unpack_from("<HH", data, 16)
    if machine != EM_386 or kind != ET_DYN:
        return NativeProgram("it is not position-independent, or for another processor than i386")
    at, size, count = *struct.unpack_from("<I", data, 28), *struct.unpack_from("<HH", data, 42)
    if size != SEGMENT.size or at + size * count > len(data):
        return NativeProgram("its program headers are cut off or malformed")
    segments = [SEGMENT.unpack_from(data, at + i * size) for i in range(count)]
    return NativeProgram(
        wrong_segments(data, segments),
        max((s[2] + s[5] for s in segments if s[0] == PT_LOAD), default=0),
        is_shared(segments),
        own_bytes(segments),
    )


def own_bytes(segments: list[tuple[int, ...]]) -> int:
    return max((s[5] for s in segments if s[0] == PT_TLS), default=0)


def is_shared(segments: list[tuple[int, ...]]) -> bool:
    return any(s[0] == PT_SHARED for s in segments)


def wrong_segments(data: bytes, segments: list[tuple[int, ...]]) -> str:
    if any(s[0] == PT_INTERP for s in segments):
        return "it wants a dynamic linker"
    if any(s[0] == PT_TLS for s in segments) and not is_shared(segments):
        return "it has thread-local variables: a native program has one thread"
    if (own := own_bytes(segments)) > most_own(STACK_MOST):
        return f"its thread-local variables are {own} bytes, and the largest stack has room for {most_own(STACK_MOST)}: allocate them in each thread"
    if any(s[1] + s[4] > len(data) or s[4] > s[5] for s in segments if s[0] in (PT_LOAD, PT_DYNAMIC)):
        return "a segment is cut off or malformed"
    tags: dict[int, int] = {}
    for s in (s for s in segments if s[0] == PT_DYNAMIC):
        tags |= dict(struct.iter_unpack("<II", data[s[1] : s[1] + s[4] // 8 * 8]))
    if DT_NEEDED in tags:
        return "it needs shared libraries"
    return wrong_relocations(data, segments, tags.get(DT_REL, 0), tags.get(DT_RELSZ, 0))


def wrong_relocations(data: bytes, segments: list[tuple[int, ...]], at: int, size: int) -> str:
    holder = next((s for s in segments if s[0] == PT_LOAD and s[2] <= at and at + size <= s[2] + s[4]), None)
    if size and not holder:
        return "its relocations lie outside of it"
    start = at - holder[2] + holder[1] if holder else 0
    for where, info in struct.iter_unpack("<II", data[start : start + size // 8 * 8]):
        if info & 0xFF != R_386_RELATIVE:
            return f"it has a relocation of type {info & 0xFF} at {where:#x}, which the kernel does not apply"
    return ""
