# SPDX-License-Identifier: MIT
"""Mends VMRUN in a copy of Bochs 2.7, with which no guest is preempted otherwise.

VMRUN loads the guest's state, which computes from it what interrupts are let through, and only then sets the flag that says that the
processor is in guest mode. So the masks are those of a host: a physical interrupt waits for the guest's IF, though V_INTR_MASKING is
set (APM volume 2, 15.21.1), and a virtual one for IF to change (15.21.4). Bochs of 2026 has it, too.

The same nine instructions do the right thing in another order: both flags (in guest mode, and GIF) are set before the state is loaded.
The place is found by VMRUN's name and by those instructions, whatever their addresses are.
"""

from __future__ import annotations

import io
import re
import struct
from typing import NamedTuple

from elftools.elf.elffile import ELFFile

FUNCTION = "_ZN8BX_CPU_C5VMRUNEP15bxInstruction_c"
ORDER = re.compile(
    rb"(?P<this>\x48\x89\xdf)"  # mov %rbx,%rdi
    rb"\xe8(?P<load>.{4})"  # call SvmEnterLoadCheckGuestState
    rb"\x84\xc0\x0f\x84(?P<failed>.{4})"  # test %al,%al; je: the state is not valid
    rb"\x0f\xb7\x05(?P<flags>.{4})"  # movzwl: 1 for each of the two flags
    rb"(?P=this)"
    rb"(?P<event>\xc7\x83.{4}\x01\0\0\0)"  # movl $1: look at events
    rb"(?P<store>\x66\x89\x83.{4})",  # mov %ax: the two flags
    re.DOTALL,
)


def _moved(displacement: bytes, by: int) -> bytes:
    """A displacement of an instruction that ends so many bytes earlier."""
    return struct.pack("<i", struct.unpack("<i", displacement)[0] + by)


def reordered(old: re.Match[bytes]) -> bytes:
    """The same instructions with the flags first, in as many bytes."""
    load, failed, flags = (_moved(old[name], by) for name, by in (("load", -14), ("failed", -14), ("flags", 16)))
    new = b"\x0f\xb7\x05" + flags + old["this"] + old["store"]
    new += b"\xe8" + load + b"\x84\xc0\x0f\x84" + failed + old["this"] + old["event"]
    assert len(new) == len(old[0])
    return new


class Place(NamedTuple):
    """Where a function is."""

    offset: int  # in the file
    address: int
    size: int


def function(program: bytes, name: str) -> Place | None:
    """A function that the program exports."""
    elf = ELFFile(io.BytesIO(program))
    table = elf.get_section_by_name(".dynsym")
    symbols = table.get_symbol_by_name(name) if table else None
    if not symbols:
        return None
    begin, size = symbols[0]["st_value"], symbols[0]["st_size"]
    offset = next(iter(elf.address_offsets(begin, size)), None)
    return None if offset is None else Place(offset, begin, size)


def mended(program: bytes) -> bytes | None:
    """The program with the other order; None: it does not have these instructions once."""
    place = function(program, FUNCTION)
    if not place:
        return None
    found = list(ORDER.finditer(program, place.offset, place.offset + place.size))
    return program[: found[0].start()] + reordered(found[0]) + program[found[0].end() :] if len(found) == 1 else None
