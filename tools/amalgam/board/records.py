# SPDX-License-Identifier: MIT
"""A kernel's records in a board's memory: where they are and how they are laid out is asked of the kernel's ELF file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from amalgam.errors import UserError


@lru_cache(maxsize=4)
def layout_of(kernel: Path, _when: int) -> Layout:
    """Read once for each build: it takes seconds."""
    return Layout(kernel)


class Layout:
    """Symbols and types of a kernel; `order` is the byte order of its numbers, `machine` the e_machine of its file."""

    def __init__(self, path: Path):
        self.structs: dict[str, DIE] = {}
        self.symbols: dict[str, int] = {}
        with path.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".symtab")
            if not elf.has_dwarf_info() or table is None:
                raise UserError(f"{path} has no debugging information", f"./amalgam build {path.parent.name}")
            self.order: Literal["little", "big"] = "little" if elf.little_endian else "big"
            self.machine, self.bits = elf.header["e_machine"], elf.elfclass
            self.loads = [(s["p_vaddr"], s["p_memsz"], s["p_paddr"]) for s in elf.iter_segments("PT_LOAD")]
            self.symbols = {s.name: s["st_value"] for s in table.iter_symbols()}
            self.sizes: dict[str, int] = {}
            self.members: dict[str, dict[str, tuple[int, Any]]] = {}
            for unit in elf.get_dwarf_info().iter_CUs():
                for die in unit.iter_DIEs():
                    self._learn(die)

    def _learn(self, die: DIE) -> None:
        name = die.attributes.get("DW_AT_name")
        if die.tag != "DW_TAG_structure_type" or not name or "DW_AT_byte_size" not in die.attributes:
            return
        key = name.value.decode()
        self.sizes[key] = die.attributes["DW_AT_byte_size"].value
        self.members[key] = {
            child.attributes["DW_AT_name"].value.decode(): (child.attributes["DW_AT_data_member_location"].value, shape(child))
            for child in die.iter_children()
            if "DW_AT_name" in child.attributes and "DW_AT_data_member_location" in child.attributes
        }

    def read(self, ram: Any, address: int, kind: str) -> dict[str, Any]:
        """A struct in memory, as a dictionary."""
        return {name: self.value(ram, address + at, how) for name, (at, how) in self.members[kind].items()}

    def value(self, ram: Any, address: int, how: Any) -> Any:
        match how:
            case ("struct", name):
                return self.read(ram, address, name)
            case ("array", inner, count, size):
                return [self.value(ram, address + i * size, inner) for i in range(count)]
            case ("number", size):
                return int.from_bytes(ram[address : address + size], self.order)
        return None


def shape(die: DIE) -> Any:
    """What a member is: a number of some size, a struct, an array of one of these."""
    kind = die.get_DIE_from_attribute("DW_AT_type")
    while kind.tag in ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"):
        if "DW_AT_type" not in kind.attributes:
            return None
        kind = kind.get_DIE_from_attribute("DW_AT_type")
    if kind.tag == "DW_TAG_structure_type":
        name = kind.attributes.get("DW_AT_name")
        return ("struct", name.value.decode()) if name else None
    if kind.tag == "DW_TAG_array_type":
        inner = shape(kind)
        bounds = [
            child.attributes["DW_AT_upper_bound"].value + 1 for child in kind.iter_children() if "DW_AT_upper_bound" in child.attributes
        ]
        element = kind.get_DIE_from_attribute("DW_AT_type")
        return ("array", inner, bounds[0], size_of(element)) if len(bounds) == 1 and inner else None
    return ("number", size_of(kind))


def size_of(kind: DIE) -> int:
    """Bytes of a type."""
    while "DW_AT_byte_size" not in kind.attributes:
        kind = kind.get_DIE_from_attribute("DW_AT_type")
    return int(kind.attributes["DW_AT_byte_size"].value)
