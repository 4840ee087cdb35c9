# SPDX-License-Identifier: MIT
"""Functions, lines and variables of linked programs by virtual address, from symbols and DWARF. What the compiler has put inline has its own
name, and an operation of the cache header has the line that asked for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amalgam.errors import UserError

OPERATIONS = ("cache.h", "cache_ops.h", "mpbt.h")  # headers whose functions are named by their callers


@dataclass(frozen=True)
class Inlined:
    """A function's body within another one."""

    low: int
    high: int
    name: str
    file: str  # where the function is declared
    call: str  # `file.c:12` that calls it


class Names:
    """The first program that has an address names it."""

    def __init__(self, programs: Iterable[Path]):
        self.symbols: list[tuple[int, int, str]] = []  # address, size, name
        self.lines: list[tuple[int, str, int]] = []  # address, file, line; line 0: nothing from here on
        self.inlined: list[Inlined] = []  # outer ones first
        for program in programs:
            self._load(program)
        self.symbols.sort()
        self.lines.sort(key=lambda row: (row[0], row[2] != 0))

    def _load(self, program: Path) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile

        try:
            with program.open("rb") as file:
                elf = ELFFile(file)
                symbols = elf.get_section_by_name(".symtab")
                for symbol in symbols.iter_symbols() if symbols else ():
                    if symbol["st_info"]["type"] in ("STT_FUNC", "STT_OBJECT", "STT_NOTYPE") and symbol.name[:1] not in ("", ".", "$"):
                        self.symbols.append((symbol["st_value"], symbol["st_size"], symbol.name))
                for unit in elf.get_dwarf_info().iter_CUs() if elf.has_dwarf_info() else ():
                    self._load_unit(unit)
        except (OSError, ELFError) as error:
            raise UserError(f"{program}: {error}", "--elf names a linked program with symbols") from error

    def _load_unit(self, unit: Any) -> None:
        program = unit.dwarfinfo.line_program_for_CU(unit)
        if not program:
            return
        first = 0 if program.header.version >= 5 else 1
        files = [entry.name.decode().rpartition("/")[2] for entry in program["file_entry"]]

        def file_name(index: int) -> str:
            return files[index - first] if 0 <= index - first < len(files) else "?"

        for entry in program.get_entries():
            if entry.state is not None:
                line = 0 if entry.state.end_sequence else entry.state.line
                self.lines.append((entry.state.address, file_name(entry.state.file), line))
        for die in unit.iter_DIEs():
            if die.tag != "DW_TAG_inlined_subroutine" or "DW_AT_call_line" not in die.attributes:
                continue
            origin = die.get_DIE_from_attribute("DW_AT_abstract_origin").attributes
            name = origin["DW_AT_name"].value.decode() if "DW_AT_name" in origin else "?"
            file = file_name(origin["DW_AT_decl_file"].value) if "DW_AT_decl_file" in origin else "?"
            call = f"{file_name(die.attributes['DW_AT_call_file'].value)}:{die.attributes['DW_AT_call_line'].value}"
            self.inlined += [Inlined(low, high, name, file, call) for low, high in ranges(unit, die)]

    def place(self, pc: int) -> tuple[str, str]:
        """Function and line: (`name+0x10`, `file.c:12`). A name without an offset has been put inline. Unknown: the address, nothing."""
        before = bisect_right(self.lines, pc, key=lambda row: row[0]) - 1
        line = f"{self.lines[before][1]}:{self.lines[before][2]}" if before >= 0 and self.lines[before][2] else ""
        within = [one for one in self.inlined if one.low <= pc < one.high]
        while within and within[-1].file in OPERATIONS:
            line = within.pop().call
        return (within[-1].name if within else self.symbol(pc)), line

    def symbol(self, address: int) -> str:
        """`name+0x10`, or the bare address."""
        before = bisect_right(self.symbols, (address, 1 << 64, "")) - 1
        for index in range(before, max(before - 8, -1), -1):
            start, size, name = self.symbols[index]
            if address < start + size or (not size and index == before):
                return f"{name}+{address - start:#x}" if address > start else name
        return f"{address:#x}"


def ranges(unit: Any, die: Any) -> Iterator[tuple[int, int]]:
    """Addresses of what a DIE describes: a low and a high one, or a list in .debug_ranges or .debug_rnglists."""
    if "DW_AT_low_pc" in die.attributes and "DW_AT_high_pc" in die.attributes:
        low, high = die.attributes["DW_AT_low_pc"].value, die.attributes["DW_AT_high_pc"]
        yield low, high.value if high.form == "DW_FORM_addr" else low + high.value
    elif "DW_AT_ranges" in die.attributes:
        top = unit.get_top_DIE().attributes
        base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
        for entry in unit.dwarfinfo.range_lists().get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, cu=unit):
            if hasattr(entry, "base_address"):
                base = entry.base_address
            else:
                start = 0 if getattr(entry, "is_absolute", False) else base
                yield entry.begin_offset + start, entry.end_offset + start
