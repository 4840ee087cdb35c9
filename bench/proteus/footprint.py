# SPDX-License-Identifier: MIT
"""Figure 2: bytes of the kernel without any component, with all of the paper's, and what each one adds (all, less all without it);
then what our kernel has besides (CONSOLE, HEALTH, TABLE_CHECK, FAST), which the paper's has not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from amalgam import paths, proc
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.sizes import Sizes, totals
from amalgam.measure.visits import symbols

# The paper's Fig. 2
PAPER = {"base": 11204, "full": 15520, "paravirt": 400, "irfm": 768, "previrt": 256, "tlbv": 1732, "driver": 660, "ipcm": 500}
COMPONENTS = [name for name in PAPER if name not in ("base", "full")]
OURS = ["console", "health", "table_check", "fast"]
HOW = "./amalgam bench proteus: config/{}.config"
RESIDENT = "code, constants, data and stack while guests run; what boots is under the stack then"
TOTAL = "the same before that: what boots is in it"


class Footprint(Sizes):
    """`bss` has the stack in it as far as it is longer than what boots, over which it lies."""

    stack = 0

    @property
    def total(self) -> int:
        return self.text + self.data + self.bss + max(0, self.stack - self.init)

    @property
    def resident(self) -> int:
        return self.code + self.rodata + self.data + self.bss + self.stack


def built(ctx: Context, shape: str, without: list[str]) -> Footprint:
    """The kernel of a shape without some components, measured."""
    text = (paths.ROOT / "config" / f"{shape}.config").read_text(encoding="utf-8")
    for component in without:
        text, found = re.subn(rf"^CONFIG_{component.upper()}=y$", f"# CONFIG_{component.upper()} is not set", text, flags=re.MULTILINE)
        if not found:
            raise UserError(
                f"config/{shape}.config has no option for '{component}'", "this bench lists the components of the paper's Fig. 2"
            )
    folder = ctx.file("footprint") / "-without-".join([shape, *without])
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "kernel.config"
    if not config.is_file() or config.read_text(encoding="utf-8") != text:
        config.write_text(text, encoding="utf-8")
    words = [proc.need("make", "make"), "-C", str(paths.ROOT / "kernel"), "SHAPE=ppc405", f"CONFIG={config}", f"OUT={folder}"]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UserError(f"the kernel without {', '.join(without)} does not build:\n{made.stderr[-800:]}", " ".join(words))
    return measured(folder / "amalgam.elf")


def measured(elf: Path) -> Footprint:
    """The image in SRAM, and the memory that cores share but for the VMs' records: those grow with the guests."""
    from elftools.elf.elffile import ELFFile

    sizes, where = Footprint(**vars(totals(elf))), symbols(elf)
    with elf.open("rb") as file:
        image = ELFFile(file)
        table = image.get_section_by_name(".symtab")
        records = next(s["st_size"] for s in table.iter_symbols() if s.name == "vm_records")
        shared = next(s for s in image.iter_sections() if s["sh_addr"] <= where["shared"] < s["sh_addr"] + s["sh_size"])
        assert shared["sh_addr"] + shared["sh_size"] == where["vm_records"] + records
        variables = sum(s["st_size"] for s in table.iter_symbols() if shared["sh_addr"] <= s["st_value"] < where["vm_records"])
    sizes.bss += variables - shared["sh_size"]
    sizes.stack = where["stack_top"] - where["idle_context"]
    return sizes


def rows(ctx: Context) -> list[Row]:
    base, full = built(ctx, "ppc405-base", []), built(ctx, "ppc405-paper", [])
    everything = built(ctx, "ppc405", [])
    made = []
    for name, shape, sizes in (("base", "ppc405-base", base), ("full", "ppc405-paper", full), ("everything", "ppc405", everything)):
        made.append(Row(f"footprint-{name}", sizes.resident, "bytes", PAPER.get(name), how=f"{HOW.format(shape)}: {RESIDENT}"))
        made.append(Row(f"footprint-{name}-total", sizes.total, "bytes", PAPER.get(name), how=f"{HOW.format(shape)}: {TOTAL}"))
    for kind, paper in (("code", 3848 + 7876), ("init", None), ("rodata", None), ("data", 3796), ("bss", None), ("stack", None)):
        made.append(
            Row(
                f"footprint-full-{kind}",
                getattr(full, kind),
                "bytes",
                paper,
                how="of footprint-full-total, stack over init; the paper's data has constants and bss in it",
            )
        )
    for name in COMPONENTS:
        ctx.progress(f"footprint without {name}")
        less = built(ctx, "ppc405-paper", [name])
        made.append(
            Row(
                f"footprint-{name}",
                full.total - less.total,
                "bytes",
                PAPER[name],
                how=f"footprint-full-total less the kernel without {name}",
            )
        )
    for name in OURS:
        less = built(ctx, "ppc405", [name])
        made.append(
            Row(
                f"footprint-{name.replace('_', '-')}",
                everything.total - less.total,
                "bytes",
                how=f"footprint-everything-total less the kernel without {name}",
            )
        )
    return made
