# SPDX-License-Identifier: MIT
"""Images of guests: what an ELF file (or raw bytes) puts where in the guest's memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from amalgam.binary.damage import DAMAGE, reason
from amalgam.system.partition.model import Segment


class ImageError(Exception):
    """The file is no image for this machine: (what is wrong, what would be right)."""


@dataclass
class Image:
    segments: list[Segment]
    entry: int
    end: int  # first address behind it, its bss included


def load(path: Path, at: int) -> Image:
    """The contents of a kernel file; `at` is where a raw one goes."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        return Image([words(at, data)], at, at + len(data))
    try:
        with path.open("rb") as file:
            return load_elf(ELFFile(file))
    except DAMAGE as error:
        raise ImageError(f"is a damaged ELF file ({reason(error)})", "build it again") from error


def words(at: int, data: bytes) -> Segment:
    """The kernel copies whole words: begin and end at one."""
    data = bytes(at % 4) + data
    return Segment(at - at % 4, data + bytes(-len(data) % 4))


def load_elf(elf: ELFFile) -> Image:
    """By physical addresses, as a boot loader does; the entry may be named by its virtual one."""
    if elf["e_machine"] != "EM_PPC" or elf.elfclass != 32 or elf.little_endian:
        raise ImageError("is no 32-bit big-endian PowerPC image", "compile it with powerpc-linux-gnu-gcc -mcpu=405")
    if elf["e_type"] != "ET_EXEC":
        raise ImageError("is no executable with fixed addresses", "link it with -static -no-pie")
    segments, entry, end = [], elf["e_entry"], 0
    for part in elf.iter_segments("PT_LOAD"):
        first, size = part["p_paddr"], part["p_memsz"]
        end = max(end, first + size)
        if part["p_vaddr"] <= elf["e_entry"] < part["p_vaddr"] + size:
            entry = elf["e_entry"] - part["p_vaddr"] + first
        if part["p_filesz"]:
            segments.append(words(first, part.data()))
    if not segments:
        raise ImageError("has nothing to load", "link it with a text section")
    return Image(segments, entry, end)
