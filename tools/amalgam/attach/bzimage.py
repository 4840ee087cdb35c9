# SPDX-License-Identifier: MIT
"""A Linux that is unpacked already, as the bzImage that GRUB starts: on an emulator that interprets, the kernel's own decompressor takes minutes.

What GRUB enters, in 32 bits, are three pages of ours in front of the kernel's first segment: two page tables that map the first 4 GiB one to one, and the way
into 64 bits. Each segment lies where the kernel was linked to, so no address is chosen (as with `nokaslr`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from amalgam.artifacts.elf import Elf
from amalgam.artifacts.error import ArtifactError
from amalgam.errors import UserError

PAGE, GIB = 1 << 12, 1 << 30
MOST = GIB  # of a kernel in memory (Linux' KERNEL_IMAGE_SIZE)
SECTOR = 512  # of which the first two are the setup header's

# The header's fields: place, form, value (Documentation/arch/x86/boot.rst). Others are 0, as where nobody has filled them in.
FIELDS = (
    (0x1F1, "<B", 1),  # sectors behind the first
    (0x1FE, "<H", 0xAA55),
    (0x200, "<H", 0x6AEB),  # a jump over the header, whose second byte says where it ends
    (0x202, "<4s", b"HdrS"),
    (0x206, "<H", 0x20F),  # the protocol's version
    (0x211, "<B", 1),  # the kernel is above 1 MiB
    (0x214, "<I", 1 << 20),  # it is entered at its first byte: GRUB adds where it put that, less 1 MiB
    (0x22C, "<I", 0x7FFFFFFF),  # the initrd's highest address
    (0x230, "<I", 2 << 20),  # its alignment
    (0x234, "<BB", (1, 63)),  # it may be moved, by 2^63 bytes at least: GRUB puts it where it was linked to, or refuses it
    (0x238, "<I", 2047),  # the longest command line
)
SIZE, PREFERRED, INIT_SIZE = 0x1F4, 0x258, 0x260

PRESENT_WRITABLE, LARGE = 3, 1 << 7

ENTRY = (
    "fa 0f0115{gdtr}"  # cli; lgdt
    "0f20e0 83c820 0f22e0"  # CR4.PAE
    "b8{tables} 0f22d8"  # CR3
    "b9800000c0 0f32 0d00010000 0f30"  # EFER.LME
    "0f20c0 0d01000080 0f22c0"  # CR0.PG
    "ea{wide}1000"  # jmp 0x10:wide
)
WIDE = "b818000000 8ed8 8ec0 8ed0 b8{entry} ffe0"  # data segments; jmp to the kernel, RSI still boot_params
GDT = (0, 0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF)  # Linux' own selectors of code and data


def _assembled(text: str, **addresses: int) -> bytes:
    return bytes.fromhex(text.format(**{name: struct.pack("<I", at).hex() for name, at in addresses.items()}))


def in_front(base: int, entry: int) -> bytes:
    """The three pages, for the address `base`."""
    gdt, gdtr = base + 0x800, base + 0x900
    wide = base + len(_assembled(ENTRY, gdtr=0, tables=0, wide=0))
    code = _assembled(ENTRY, gdtr=gdtr, tables=base + PAGE, wide=wide) + _assembled(WIDE, entry=entry)
    first = code.ljust(0x800, b"\0") + struct.pack("<4Q", *GDT)
    first = first.ljust(0x900, b"\0") + struct.pack("<HI", 8 * len(GDT) - 1, gdt)
    root = struct.pack("<Q", base + 2 * PAGE | PRESENT_WRITABLE)
    gibs = struct.pack("<4Q", *(i * GIB | LARGE | PRESENT_WRITABLE for i in range(4)))
    return b"".join(page.ljust(PAGE, b"\0") for page in (first, root, gibs))


@dataclass(frozen=True)
class Segment:
    """What is loaded."""

    at: int  # its physical address
    virtual: int
    data: bytes
    size: int  # in memory


def _segments(elf: ELFFile) -> list[Segment]:
    try:
        loads = list(elf.iter_segments("PT_LOAD"))
    except ELFError as error:
        raise ArtifactError(f"vmlinux: cut off ({error})") from None
    found = [Segment(s["p_paddr"], s["p_vaddr"], s.data(), s["p_memsz"]) for s in loads]
    if any(len(one.data) < s["p_filesz"] for one, s in zip(found, loads, strict=True)):
        raise ArtifactError("vmlinux: cut off within a segment")
    return found


def _cleared(elf: ELFFile, segments: list[Segment]) -> int | None:
    """Where what the kernel clears itself begins; .init.scratch behind it, for which the file has zeros, may hold anything."""
    bss = elf.get_section_by_name(".bss")
    return bss and next((s.at + bss["sh_addr"] - s.virtual for s in segments if 0 <= bss["sh_addr"] - s.virtual < s.size), None)


def bzimage(vmlinux: bytes) -> bytes:
    """A bzImage that starts this ELF file."""
    elf = Elf(vmlinux, "vmlinux").file
    segments = _segments(elf)
    low = min((s.at for s in segments), default=0)
    end = max((s.at + len(s.data) for s in segments), default=0)
    high = max((s.at + s.size for s in segments), default=0)
    if low < 2 << 20 or high > min(low + MOST, 4 * GIB) or end > high or not low <= elf["e_entry"] < high:
        raise UserError("this kernel has no place where it could be started unpacked", "see amalgam/attach/bzimage.py")
    base = low - 3 * PAGE
    image = bytearray(end - low)
    for s in segments:
        image[s.at - low : s.at - low + len(s.data)] = s.data
    if cleared := _cleared(elf, segments):
        image = image.rstrip(b"\0").ljust(cleared - low, b"\0")  # of 60 MB 24 are such zeros
    body = in_front(base, elf["e_entry"]) + image
    body += bytes(-len(body) % 16)
    header = bytearray(2 * SECTOR)
    room = max(high - base, len(body))
    for at, form, value in (*FIELDS, (SIZE, "<I", len(body) // 16), (PREFERRED, "<Q", base), (INIT_SIZE, "<I", room)):
        struct.pack_into(form, header, at, *(value if isinstance(value, tuple) else (value,)))
    return bytes(header) + body
