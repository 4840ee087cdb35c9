# SPDX-License-Identifier: MIT
"""The code of an ELF file by virtual address, and what can be known about a place in it."""

from __future__ import annotations

import bisect
import struct
from pathlib import Path

from elftools.elf.elffile import ELFFile

from amalgam.binary.damage import DAMAGE, reason
from amalgam.previrt.decode import branch, effect

DEPTH = 24  # instructions that `dead_register` looks ahead
CANDIDATES = (12, 0, 11, 10, 9, 8, 7, 6, 5, 4, 3)


class CodeError(Exception):
    """Not a file that can be patched."""


class Code:
    def __init__(self, path: Path):
        try:
            with path.open("rb") as file:
                self._read(ELFFile(file))
        except DAMAGE as error:
            raise CodeError(f"is a damaged ELF file ({reason(error)})") from error
        self.targets = self._targets()

    def _read(self, elf: ELFFile) -> None:
        if elf["e_machine"] != "EM_PPC" or elf.elfclass != 32 or elf.little_endian or elf["e_type"] != "ET_EXEC":
            raise CodeError("is no executable for a 32-bit big-endian PowerPC")
        self.words: dict[int, int] = {}
        self.data = b""
        loads = [(s["p_vaddr"], s["p_memsz"], s["p_paddr"]) for s in elf.iter_segments("PT_LOAD")]
        if len({(va - pa) & 0xFFFFFFFF for va, _, pa in loads}) != 1:
            raise CodeError("has no single distance between virtual and physical addresses")
        self.distance = (loads[0][0] - loads[0][2]) & 0xFFFFFFFF
        self.end = max(va + size for va, size, _ in loads) - self.distance
        for section in elf.iter_sections():
            if not section["sh_flags"] & 2 or section["sh_type"] != "SHT_PROGBITS":  # SHF_ALLOC
                continue
            body, start = section.data(), section["sh_addr"]
            if section["sh_flags"] & 4:  # SHF_EXECINSTR
                count = len(body) // 4
                self.words.update(zip(range(start, start + 4 * count, 4), struct.unpack_from(f">{count}I", body), strict=True))
            else:
                self.data += body + bytes(-len(body) % 4)
        table = elf.get_section_by_name(".symtab")
        named = [(s["st_value"], s.name) for s in table.iter_symbols() if s.name and s["st_value"] in self.words] if table else []
        self.symbols = sorted(named)

    def _targets(self) -> set[int]:
        """Addresses that a branch names, or that data may hold."""
        found = {b[0] for at, word in self.words.items() if (b := branch(word, at)) and b[0] is not None}
        found.update(w for (w,) in struct.iter_unpack(">I", self.data) if w in self.words)
        found.update(value for value, _ in self.symbols)
        return found

    def name(self, at: int) -> str:
        """The symbol that an address lies behind, with the distance."""
        i = bisect.bisect_right(self.symbols, (at, "\xff")) - 1
        return f"{self.symbols[i][1]}+{at - self.symbols[i][0]:#x}" if i >= 0 else hex(at)

    def dead_register(self, at: int, but: int) -> int | None:
        """A register whose value nobody needs at `at`, seen by the code alone: on all ways it is written before it is read."""
        return next((r for r in CANDIDATES if r != but and self._dead(r, at, DEPTH)), None)

    def _dead(self, register: int, at: int, depth: int) -> bool:
        while depth:
            depth -= 1
            word = self.words.get(at)
            if word is None:
                return False
            to = branch(word, at)
            if to:
                target, falls, calls = to
                if calls or target is None:
                    return False
                if not falls:
                    at = target
                    continue
                if not self._dead(register, target, depth // 2):
                    return False
            else:
                known = effect(word)
                if known is None or register in known.reads:
                    return False
                if register in known.writes:
                    return True
            at += 4
        return False
