# SPDX-License-Identifier: MIT
"""The linked kernel as the analysis sees it."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from amalgam.errors import UserError

MARKS = ("loops", "waits", "stops", "calls")


@dataclass
class Image:
    words: dict[int, int] = field(default_factory=dict)  # address -> instruction
    symbols: dict[str, int] = field(default_factory=dict)
    marks: dict[str, dict[int, list[int]]] = field(default_factory=dict)  # kind -> address -> values

    returns: dict[int, bool] = field(default_factory=dict)  # routine -> whether it can; flow.returns

    def __post_init__(self) -> None:
        self._names: list[tuple[int, str]] = []

    def name(self, address: int) -> str:
        """`symbol` or `symbol+0x10`, the nearest one below."""
        if not self._names:
            self._names = sorted((a, n) for n, a in self.symbols.items())
        at = bisect_right(self._names, (address, "\uffff")) - 1
        if at < 0:
            return f"{address:#x}"
        base, name = self._names[at]
        return name if base == address else f"{name}+{address - base:#x}"


def load(path: Path) -> Image:
    """Read an ELF file of the 32-bit big-endian PowerPC."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    if not path.is_file():
        raise UserError(f"there is no {path.name} yet", "./amalgam build ppc405")
    image = Image(marks={kind: defaultdict(list) for kind in MARKS})
    pieces: list[tuple[int, bytes]] = []
    tables: list[tuple[int, ...]] = []
    with path.open("rb") as file:
        elf = ELFFile(file)
        if elf["e_machine"] != "EM_PPC" or elf.little_endian:
            raise UserError(f"{path.name} is not a 32-bit big-endian PowerPC program", "wcet works on the ppc405 shape")
        for section in elf.iter_sections():
            data = section.data() if section["sh_type"] == "SHT_PROGBITS" else b""
            if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
                for at in range(0, len(data) - 3, 4):
                    image.words[section["sh_addr"] + at] = struct.unpack_from(">I", data, at)[0]
            if section.name == ".wcet.tables":
                tables += struct.iter_unpack(">5I", data)
            elif section.name.startswith(".wcet."):
                kind = section.name.removeprefix(".wcet.")
                if kind not in image.marks:
                    raise UserError(f"unknown mark section {section.name}", "include/wcet.h lists the marks")
                for address, value in struct.iter_unpack(">II", data):
                    image.marks[kind][address].append(value)
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and data:
                pieces.append((section["sh_addr"], data))
        table = elf.get_section_by_name(".symtab")
        if table is None:
            raise UserError(f"{path.name} has no symbols", "link it without -s")
        for symbol in table.iter_symbols():
            if symbol.name and symbol["st_shndx"] != "SHN_UNDEF" and not symbol.name.startswith((".L", "$")):
                image.symbols.setdefault(symbol.name, symbol["st_value"])
    for address, start, count, stride, offset in tables:
        found = {word_at(pieces, start + n * stride + offset) for n in range(count)}
        image.marks["calls"][address] += sorted(found - {0})
    return image


def word_at(pieces: list[tuple[int, bytes]], address: int) -> int:
    """The word at an address of the loaded image."""
    for start, data in pieces:
        if start <= address <= start + len(data) - 4:
            return int(struct.unpack_from(">I", data, address - start)[0])
    raise UserError(f"a table that a mark names ({address:#x}) is not in the image", "INDIRECT_TABLE wants a constant table")
