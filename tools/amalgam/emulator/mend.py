# SPDX-License-Identifier: MIT
"""Mends two instructions of the emulator that we have just started: without that a board may end without a word, or sleep for good.

1. QEMU's record of core 0 has a word (`hflags2`) that says, among other things, whether nested paging is on and whether interrupts are
   let through. Every FXRSTOR, XRSTOR, FRSTOR and FLDENV on *any* core clears the bit IGNNE there (cpu_clear_ignne(),
   target/i386/tcg/sysemu/fpu_helper.c), with a plain read, change and write in that core's thread. A world switch of core 0 in between
   is undone: nested paging stays on for the kernel, whose next instruction then has no translation, and the board resets; or it is off
   for a guest, which dies of a triple fault; or core 0 never takes an interrupt again.
2. VMRUN with a virtual interrupt due sets a bit in the core's word of waiting interrupts (`interrupt_request`) in the same plain way
   (helper_vmrun(), svm_helper.c), where all others hold the lock of all devices. A device or timer that sets its bit there in between
   is forgotten: the core's local APIC has the interrupt, and the core does not look.

Each instruction is made atomic (LOCK) in the memory of the process, in the same ten bytes, before the process has come to its main().
The bits stay what they were for; core 0's own writes to `hflags2` can now lose only the clearing of a bit that nobody had set. Nothing
on the disk changes. What is not that very instruction is left alone. tests/system/test_quirks.py shows faults and cure.
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

PROGRAM = "qemu-system-x86_64"
ROOM = 0x4000  # bytes of code that are looked through at most


@dataclass(frozen=True)
class Fault:
    """An instruction `op $mask, disp32(register)` on a word of memory that others change, too."""

    begin: str  # it lies behind this exported function's first byte ...
    end: str  # ... and before that one's
    op: int  # what the instruction does, as ModRM has it: 1 OR, 4 AND
    mask: int
    byte: int  # the only one of the word's bytes that it changes

    def plain(self) -> re.Pattern[bytes]:
        modrm = bytes(0x80 | self.op << 3 | register for register in range(8) if register != 4)  # 4: another byte would follow
        return re.compile(rb"(?<!\xf0)\x81([" + re.escape(modrm) + rb"])(.{4})" + re.escape(self.mask.to_bytes(4, "little")), re.DOTALL)

    def atomic(self, plain: re.Match[bytes]) -> bytes:
        """LOCK and the same of that byte alone, and a no-operation for the rest."""
        place = int.from_bytes(plain[2], "little", signed=True) + self.byte
        return b"\xf0\x80" + plain[1] + place.to_bytes(4, "little", signed=True) + bytes([self.mask >> 8 * self.byte & 0xFF]) + b"\x66\x90"


FAULTS = (
    Fault("cpu_clear_ignne", "cpu_set_ignne", 4, 0xFFFFFF7F, 0),
    Fault("cpu_svm_check_intercept_param", "do_vmexit", 1, 0x100, 1),
)


@dataclass(frozen=True)
class Spot:
    """Where in the file an instruction is, and what it is to become."""

    offset: int
    old: bytes
    new: bytes


def spot_of(elf: ELFFile, symbols: GNUHashSection, fault: Fault) -> Spot | None:
    begin, end = (symbols.get_symbol(name) for name in (fault.begin, fault.end))
    size = end["st_value"] - begin["st_value"] if begin and end else 0
    offset = next(iter(elf.address_offsets(begin["st_value"], size)), None) if 0 < size <= ROOM else None
    if offset is None:
        return None
    elf.stream.seek(offset)
    matches = list(fault.plain().finditer(elf.stream.read(size)))
    return Spot(offset + matches[0].start(), matches[0][0], fault.atomic(matches[0])) if len(matches) == 1 else None


@functools.cache
def find(program: Path) -> tuple[Spot, ...]:
    """Those of the instructions that the ELF file `program` has, each once and no other that looks so."""
    try:
        with program.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".gnu.hash")
            spots = [spot_of(elf, table, fault) for fault in FAULTS] if isinstance(table, GNUHashSection) else []
    except (ELFError, OSError):
        return ()
    return tuple(spot for spot in spots if spot)


def address(pid: int, program: Path, offset: int) -> int | None:
    """Where process `pid` has the byte `offset` of `program`, among what it may execute."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, rights, at, _device, _inode, *name = line.split(maxsplit=5)
        start, end = (int(word, 16) for word in span.split("-"))
        if "x" in rights and name == [str(program)] and 0 <= offset - int(at, 16) < end - start:
            return start + offset - int(at, 16)
    return None


def mend(pid: int) -> int:
    """Mend process `pid`, our own child after its exec: how many of the instructions it had. OSError: Linux does not let us write there."""
    try:
        program = Path(f"/proc/{pid}/exe").readlink()
    except FileNotFoundError:
        return 0  # it has ended already
    done = 0
    for spot in find(program) if program.name == PROGRAM else ():
        where = address(pid, program, spot.offset)
        if where is None:
            continue
        with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
            if os.pread(memory.fileno(), len(spot.old), where) == spot.old:
                os.pwrite(memory.fileno(), spot.new, where)
                done += 1
    return done
