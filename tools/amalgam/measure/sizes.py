# SPDX-License-Identifier: MIT
"""Bytes by component. The link map says which object each piece of the image came from; what was compiled at link time
is one object, in which the debug information says which source each function and variable came from. The ELF
file's sections say what kind a piece is and what the total must be."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from amalgam.errors import UserError

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

PIECE = re.compile(r"^ (\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: (\S.*))?$")
OUTPUT = re.compile(r"^([.\w]\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)")
DW_OP_ADDR = 0x03
KINDS = ("code", "init", "init_rodata", "rodata", "data", "bss")
INIT = {".init.text": "init", ".init.rodata": "init_rodata"}  # freed after boot (kernel/include/hal/memory.h, hal_drop_init)


@dataclass
class Sizes:
    """text = code + init + init_rodata + rodata, as size(1) counts it; `init` is the code that is freed after boot, `init_rodata` its
    constants."""

    code: int = 0
    init: int = 0
    init_rodata: int = 0
    rodata: int = 0
    data: int = 0
    bss: int = 0

    @property
    def text(self) -> int:
        return self.code + self.init + self.init_rodata + self.rodata

    @property
    def resident(self) -> int:
        """What stays in memory from the image after boot, besides what begins as zeros."""
        return self.code + self.rodata + self.data

    def add(self, kind: str, count: int) -> None:
        setattr(self, kind, getattr(self, kind) + count)


def section_kinds(elf: Path) -> dict[str, tuple[str, int]]:
    """Kind and size of each section that takes memory."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    found = {}
    with elf.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"]
            if flags & SH_FLAGS.SHF_ALLOC and section["sh_size"]:
                kind = INIT.get(section.name) or ("code" if flags & SH_FLAGS.SHF_EXECINSTR else "rodata")
                if flags & SH_FLAGS.SHF_WRITE:
                    kind = "bss" if section["sh_type"] == "SHT_NOBITS" else "data"
                found[section.name] = (kind, section["sh_size"])
    return found


def totals(elf: Path) -> Sizes:
    """The whole image, from its sections."""
    if not elf.is_file():
        raise UserError(f"there is no {elf.name} yet", f"./amalgam build {elf.parent.name}")
    whole = Sizes()
    for kind, size in section_kinds(elf).values():
        whole.add(kind, size)
    return whole


def component(source: str) -> str:
    """build/pc/vm/virtio/block.c.o -> vm; arch/x86 and board/pc keep two levels, as components are named."""
    parts = Path(source).parts
    if "symbols.o" in parts[-1] or "empty.o" in parts[-1]:
        return "symbol table"
    for root in ("arch", "board"):
        if root in parts[:-1]:
            at = len(parts) - 1 - parts[::-1].index(root)
            return "/".join(parts[at : at + 2])
    for name in ("core", "vm", "net", "ipc", "task", "proof", "svm", "mail", "native", "attach", "api", "lib"):
        if name in parts[:-1]:
            return name
    return parts[-1]


def origins(file: ELFFile) -> dict[int | str, str]:
    """Component of each function and variable that the debug information places: by address; by name where a function
    is in two pieces (its unlikely part apart)."""
    import struct

    found: dict[int | str, str] = {}
    for unit in file.get_dwarf_info().iter_CUs():
        for die in unit.iter_DIEs():
            if die.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in die.attributes:
                key = die.attributes["DW_AT_low_pc"].value
            elif die.tag == "DW_TAG_subprogram" and "DW_AT_ranges" in die.attributes:
                key = ""
            elif die.tag == "DW_TAG_variable" and "DW_AT_location" in die.attributes:
                place = die.attributes["DW_AT_location"].value
                if not isinstance(place, list) or len(place) != 9 or place[0] != DW_OP_ADDR:
                    continue
                key = struct.unpack("<Q", bytes(place[1:]))[0]
            else:
                continue
            while origin := next((name for name in ("DW_AT_abstract_origin", "DW_AT_specification") if name in die.attributes), None):
                die = die.get_DIE_from_attribute(origin)
            found[key or die.attributes["DW_AT_name"].value.decode()] = component(
                die.cu.get_top_DIE().attributes["DW_AT_name"].value.decode()
            )
    return found


def symbols(elf: Path) -> list[tuple[int, int, str]]:
    """(address, size, component) of what the debug information knows, in ascending order."""
    from elftools.elf.elffile import ELFFile

    with elf.open("rb") as stream:
        file = ELFFile(stream)
        known = origins(file)
        table = {s["st_value"]: (s["st_size"], s.name) for s in file.get_section_by_name(".symtab").iter_symbols() if s["st_size"]}
    placed = ((address, size, known.get(address) or known.get(name.partition(".")[0])) for address, (size, name) in table.items())
    return sorted((address, size, name) for address, size, name in placed if name)


@dataclass(frozen=True)
class Piece:
    """Bytes of an output section that one object, or member of an archive, has given: `source` as the linker names it."""

    section: str
    at: int
    size: int
    source: str


def pieces(link_map: Path) -> Iterator[Piece]:
    """All that the link map tells."""
    text = link_map.read_text(encoding="utf-8", errors="replace").partition("Linker script and memory map")[2]
    text = re.sub(r"\n( \S+|\S+)\n\s+(0x[0-9a-f]+\s+0x)", r"\n\1 \2", text)  # long names stand on a line of their own
    current = ""
    for line in text.splitlines():
        if match := OUTPUT.match(line):
            current = match[1]
        elif (match := PIECE.match(line)) and match[4] and not match[1].startswith("*"):
            yield Piece(current, int(match[2], 16), int(match[3], 16), match[4])


def by_component(elf: Path, link_map: Path) -> dict[str, Sizes]:
    """Sizes by folder below kernel/; what the linker added (alignment) is a line of its own, so the sum is the total."""
    whole = totals(elf)
    if not link_map.is_file():
        raise UserError(f"there is no {link_map.name} beside the kernel", f"./amalgam build {elf.parent.name}")
    kinds = section_kinds(elf)
    found: dict[str, Sizes] = {}
    named = symbols(elf)
    starts = [address for address, _, _ in named]
    for piece in pieces(link_map):
        if piece.section not in kinds:
            continue
        kind, rest = kinds[piece.section][0], piece.size
        name = component(piece.source)
        if ".ltrans" in piece.source:
            name = "(strings)" if kind == "rodata" else "(alignment)"
            for _, size, owner in named[bisect_left(starts, piece.at) : bisect_left(starts, piece.at + rest)]:
                found.setdefault(owner, Sizes()).add(kind, size)
                rest -= size
        found.setdefault(name, Sizes()).add(kind, rest)
    for kind in KINDS:
        rest = getattr(whole, kind) - sum(getattr(sizes, kind) for sizes in found.values())
        found.setdefault("(alignment)", Sizes()).add(kind, rest)
    return dict(sorted(found.items(), key=lambda item: -item[1].text))
