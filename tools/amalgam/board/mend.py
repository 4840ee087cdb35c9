# SPDX-License-Identifier: MIT
"""Mends one instruction of the emulator that we have just started: without that a board with several cores may end without a word.

QEMU's record of core 0 has a word (`hflags2`) that says, among other things, whether nested paging is on and whether interrupts are
let through. Every FXRSTOR, XRSTOR, FRSTOR and FLDENV on *any* core clears the bit IGNNE there (cpu_clear_ignne(),
target/i386/tcg/sysemu/fpu_helper.c), with a plain read, change and write in that core's thread. A world switch of core 0 in between is
undone: nested paging stays on for the kernel, whose next instruction then has no translation, and the board resets; or it is off for a
guest, which dies of a triple fault; or core 0 never takes an interrupt again.

The instruction is made atomic (LOCK) in the memory of the process, in the same ten bytes, before the process has come to its main().
The bit stays what it was for; core 0's own writes can now lose only the clearing of a bit that nobody had set. Nothing
on the disk changes. An emulator without that very instruction is left alone. tests/system/test_quirks.py shows fault and cure.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.hash import GNUHashSection

PROGRAM, FUNCTION = "qemu-system-x86_64", "cpu_clear_ignne"
PLAIN = re.compile(rb"(?<!\xf0)\x81([\xa0-\xa3\xa5-\xa7])(.{4})\x7f\xff\xff\xff", re.DOTALL)  # andl $~0x80,disp32(register)


@dataclass(frozen=True)
class Spot:
    """Where in the file the instruction is, and what it is to become."""

    offset: int
    old: bytes
    new: bytes


def atomic(plain: re.Match[bytes]) -> bytes:
    """LOCK ANDB $0x7f, of the same byte, and a no-operation for the rest."""
    return b"\xf0\x80" + plain[1] + plain[2] + b"\x7f" + b"\x66\x90"


@functools.cache
def find(program: Path) -> Spot | None:
    """The instruction in the ELF file `program`; None if it has none, or more than one that looks so."""
    try:
        with program.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".gnu.hash")
            symbol = table.get_symbol(FUNCTION) if isinstance(table, GNUHashSection) else None
            size = symbol["st_size"] if symbol else 0
            offset = next(iter(elf.address_offsets(symbol["st_value"], size)), None) if symbol else None
            if offset is None:
                return None
            file.seek(offset)
            matches = list(PLAIN.finditer(file.read(size)))
    except (ELFError, OSError):
        return None
    return Spot(offset + matches[0].start(), matches[0][0], atomic(matches[0])) if len(matches) == 1 else None


def address(pid: int, program: Path, offset: int) -> int | None:
    """Where process `pid` has the byte `offset` of `program`, among what it may execute."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, rights, at, _device, _inode, *name = line.split(maxsplit=5)
        start, end = (int(word, 16) for word in span.split("-"))
        if "x" in rights and name == [str(program)] and 0 <= offset - int(at, 16) < end - start:
            return start + offset - int(at, 16)
    return None


def mend(pid: int) -> bool:
    """Mend process `pid`, our own child after its exec. True: it had the fault. OSError: Linux does not let us write there."""
    try:
        program = Path(f"/proc/{pid}/exe").readlink()
    except FileNotFoundError:
        return False  # it has ended already
    spot = find(program) if program.name == PROGRAM else None
    where = address(pid, program, spot.offset) if spot else None
    if not spot or where is None:
        return False
    with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
        if os.pread(memory.fileno(), len(spot.old), where) != spot.old:
            return False
        os.pwrite(memory.fileno(), spot.new, where)
    return True
