# SPDX-License-Identifier: MIT
"""Figure 2: bytes of the kernel without any component, with all, and what each one adds (all, less all without it)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from amalgam import paths, proc
from amalgam.benches import Context, Row
from amalgam.errors import UserError
from amalgam.sizes import Sizes, totals
from amalgam.visits import symbols

# The paper's Fig. 2
PAPER = {"base": 11204, "full": 15520, "paravirt": 400, "irfm": 768, "previrt": 256, "tlbv": 1732, "driver": 660, "ipcm": 500}
COMPONENTS = [name for name in PAPER if name not in ("base", "full")]
HOW = "./amalgam bench proteus: code, constants and data of build/bench/proteus/footprint/{}; stack included"


def built(ctx: Context, name: str, without: list[str]) -> Path:
    """The kernel without some components."""
    text = (paths.ROOT / "config" / "ppc405.config").read_text(encoding="utf-8")
    for component in without:
        text, found = re.subn(rf"^CONFIG_{component.upper()}=y$", f"# CONFIG_{component.upper()} is not set", text, flags=re.MULTILINE)
        if not found:
            raise UserError(
                f"config/ppc405.config has no option for '{component}'", "this bench lists the components of the paper's Fig. 2"
            )
    folder = ctx.file("footprint") / name
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "kernel.config"
    if not config.is_file() or config.read_text(encoding="utf-8") != text:
        config.write_text(text, encoding="utf-8")
    words = [proc.need("make", "make"), "-C", str(paths.ROOT / "kernel"), "SHAPE=ppc405", f"CONFIG={config}", f"OUT={folder}"]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UserError(f"the kernel without {', '.join(without)} does not build:\n{made.stderr[-800:]}", " ".join(words))
    return folder / "amalgam.elf"


def counted(elf: Path) -> Sizes:
    """The image in SRAM, and of the memory that cores share what is below the VMs' records: those grow with the guests."""
    from elftools.elf.elffile import ELFFile

    sizes, where = totals(elf), symbols(elf)
    with elf.open("rb") as file:
        shared = next(s for s in ELFFile(file).iter_sections() if s["sh_addr"] <= where["shared"] < s["sh_addr"] + s["sh_size"])
        variables = next(s["st_size"] for s in ELFFile(file).get_section_by_name(".symtab").iter_symbols() if s.name == "shared")
        sizes.bss += variables - shared["sh_size"]
    return sizes


def whole(sizes: Sizes) -> int:
    return sizes.code + sizes.init + sizes.rodata + sizes.data + sizes.bss


def rows(ctx: Context) -> list[Row]:
    full = counted(built(ctx, "full", []))
    base = counted(built(ctx, "base", COMPONENTS))
    made = [
        Row("footprint-base", whole(base), "bytes", PAPER["base"], how=HOW.format("base")),
        Row("footprint-full", whole(full), "bytes", PAPER["full"], how=HOW.format("full")),
    ]
    for kind, paper in (("code", 3848 + 7876), ("init", None), ("rodata", None), ("data", 3796), ("bss", None)):
        made.append(
            Row(
                f"footprint-full-{kind}",
                getattr(full, kind),
                "bytes",
                paper,
                how="of footprint-full; the paper's data has constants and bss in it",
            )
        )
    for name in COMPONENTS:
        ctx.progress(f"footprint without {name}")
        less = counted(built(ctx, f"without-{name}", [name]))
        made.append(
            Row(f"footprint-{name}", whole(full) - whole(less), "bytes", PAPER[name], how=f"footprint-full less the kernel without {name}")
        )
    return made
