# SPDX-License-Identifier: MIT
"""Bytes by component. The link map says which object each piece of the image came from; the ELF file's sections say
what kind it is and what the total must be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from amalgam.errors import UserError

PIECE = re.compile(r"^ (\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: (\S.*))?$")
OUTPUT = re.compile(r"^([.\w]\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)")
KINDS = ("code", "rodata", "data", "bss")


@dataclass
class Sizes:
    """text = code + rodata, as size(1) counts it."""

    code: int = 0
    rodata: int = 0
    data: int = 0
    bss: int = 0

    @property
    def text(self) -> int:
        return self.code + self.rodata

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
                kind = "code" if flags & SH_FLAGS.SHF_EXECINSTR else "rodata"
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
    """build/pc/vm/virtio/block.c.o -> vm; arch/x86_64 and board/pc keep two levels, as components are named."""
    parts = Path(source).parts
    if "symbols.o" in parts[-1] or "empty.o" in parts[-1]:
        return "symbol table"
    for root in ("arch", "board"):
        if root in parts[:-1]:
            at = len(parts) - 1 - parts[::-1].index(root)
            return "/".join(parts[at : at + 2])
    for name in ("core", "vm", "ipc", "task", "svm", "attach", "api", "lib"):
        if name in parts[:-1]:
            return name
    return parts[-1]


def by_component(elf: Path, link_map: Path) -> dict[str, Sizes]:
    """Sizes by folder below kernel/; what the linker added (alignment) is a line of its own, so the sum is the total."""
    whole = totals(elf)
    if not link_map.is_file():
        raise UserError(f"there is no {link_map.name} beside the kernel", f"./amalgam build {elf.parent.name}")
    kinds = section_kinds(elf)
    found: dict[str, Sizes] = {}
    text = link_map.read_text(encoding="utf-8", errors="replace").partition("Linker script and memory map")[2]
    text = re.sub(r"\n( \S+|\S+)\n\s+(0x[0-9a-f]+\s+0x)", r"\n\1 \2", text)  # long names stand on a line of their own
    current = ""
    for line in text.splitlines():
        if match := OUTPUT.match(line):
            current = match[1]
        elif (match := PIECE.match(line)) and match[4] and current in kinds and not match[1].startswith("*"):
            found.setdefault(component(match[4]), Sizes()).add(kinds[current][0], int(match[3], 16))
    rest = Sizes()
    for kind in KINDS:
        rest.add(kind, getattr(whole, kind) - sum(getattr(sizes, kind) for sizes in found.values()))
    found["(alignment)"] = rest
    return dict(sorted(found.items(), key=lambda item: -item[1].text))
