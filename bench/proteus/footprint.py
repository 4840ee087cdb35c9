# SPDX-License-Identifier: MIT
"""Bytes of the ppc405 kernel in its two configurations, beside the paper's Fig. 2.

All that one core needs: code, constants, variables, what runs once at start (the core's stack lies over it), and the
fixed part of the data that all cores share. VMs' records are not in it: their number is the system's.
"""

from __future__ import annotations

from pathlib import Path

from amalgam.benches import Context, Row
from amalgam.kernel import build_kernel
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

SHARED = ".PPC.EMB.sbss0"
RECORDS = "vm_records"
CONFIGURATIONS = {"base": ("ppc405-base", 11204), "full": ("ppc405", 15520)}  # shape, bytes in the paper
KINDS = ("text", "constants and data", "start and stack", "shared")


def kind_of(section: str) -> str:
    if section.startswith(".text"):
        return "text"
    return {".init": "start and stack", SHARED: "shared"}.get(section, "constants and data")


def sizes(elf: Path) -> dict[str, int]:
    """Bytes by KINDS."""
    found = dict.fromkeys(KINDS, 0)
    with elf.open("rb") as file:
        image = ELFFile(file)
        for section in image.iter_sections():
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section.name != SHARED:
                found[kind_of(section.name)] += section["sh_size"]
        index = image.get_section_index(SHARED)
        for symbol in image.get_section_by_name(".symtab").iter_symbols():
            if symbol["st_shndx"] == index and symbol["st_info"]["type"] == "STT_OBJECT" and symbol.name != RECORDS:
                found["shared"] += symbol["st_size"]
    return found


def rows(ctx: Context) -> list[Row]:
    made = []
    for name, (shape, paper) in CONFIGURATIONS.items():
        parts = sizes(build_kernel(shape, ctx.progress))
        how = ", ".join(f"{kind} {count:,}" for kind, count in parts.items())
        made.append(Row(f"footprint-{name}", sum(parts.values()), "bytes", paper=paper, how=how))
    return made
