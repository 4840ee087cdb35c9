# SPDX-License-Identifier: MIT
"""Names for the addresses in a kernel's report of a fault, where the kernel has none of its own (CONFIG_NO_NAMES)."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from pathlib import Path

from amalgam.binary.symtab import COPY

PLACE = re.compile(r"^  ([0-9a-f]{1,16})(?=\r*\n)", re.MULTILINE)  # arch_backtrace() of kernel/arch/riscv/cpu/backtrace.c
NAME = re.compile(r"[A-Za-z_]")  # of a function; others are the assembler's own
LONG = 32  # characters: no such line


@cache
def functions(kernel: Path) -> list[tuple[int, int, str]]:
    """(start, end of its section, name) of all that is code in a linked kernel, ascending; nothing of a file that has no symbols."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    with kernel.open("rb") as file:
        elf = ELFFile(file)
        code = {i: s["sh_addr"] + s["sh_size"] for i, s in enumerate(elf.iter_sections()) if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR}
        table = elf.get_section_by_name(".symtab")
        symbols = [s for s in table.iter_symbols() if s["st_shndx"] in code and NAME.match(s.name)] if table else []
        return sorted((s["st_value"], code[s["st_shndx"]], COPY.sub("", s.name)) for s in symbols)


class Places:
    """A console's text with `name+0x10` behind each address that stands alone on a line and lies in a function of `kernel`."""

    def __init__(self, kernel: Path):
        self.kernel = kernel
        self.line = ""  # the beginning of the current line
        self.held = ""  # carriage returns, before which a name may have to stand

    def feed(self, text: str) -> str:
        """What to show after `text` has come. With an empty one, what was held."""
        whole = self.held + text
        ready = whole.rstrip("\r") if text else whole
        self.held = whole[len(ready) :]
        named = PLACE.sub(self.named, self.line + ready)[len(self.line) :]
        self.line = (self.line + ready).rpartition("\n")[2][:LONG]
        return named

    def named(self, match: re.Match[str]) -> str:
        address = int(match[1], 16)
        known = functions(self.kernel)
        before = bisect_right(known, address, key=lambda row: row[0]) - 1
        if before < 0 or address >= known[before][1]:
            return match[0]
        start, _, name = known[before]
        return f"{match[0]} {name}+{address - start:#x}"
