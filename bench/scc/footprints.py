# SPDX-License-Identifier: MIT
"""What stays in a core's memory: of each kernel's image, by component, and of RCCE beside the lean kernel: what ping-pong links of the library,
and all of it. The C library and the program itself are not counted, and data that begins as zeros stands in a row of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from amalgam import paths
from amalgam.build import natives
from amalgam.build.programs import OURS
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.sizes import by_component, pieces, section_kinds, totals

LIBRARY, ENTRY = "librcce.a(", "/entry.o"  # RCCE, iRCCE and the start of a program; what the program enters by
PINGPONG = paths.ROOT / "user" / "rcce" / "programs" / "pingpong.c"
NOTHING = "int main(void)\n{\n    return 0;\n}\n"
KERNELS = {
    "footprint-svm": ("scc", "with mail, native programs and tasks"),
    "footprint-svm-migrate": ("scc-migrate", "the same with frames that move, and three more tasks"),
    "footprint-lean": ("scc-lean", "with native programs and nothing else"),
}
BY_COMPONENT = ("footprint-lean", "footprint-svm")
WHOLE = ("-Wl,--no-gc-sections", "-Wl,--whole-archive", "{archive}", "-Wl,--no-whole-archive")
RELOCATION = 8  # bytes of an entry of .rel.dyn
SIZE = "./amalgam size --shape {}: text, constants, symbols, data; {}"


def named(name: str) -> str:
    """A component as part of a row's name: board/scc -> board-scc, (strings) -> strings."""
    return name.replace("/", "-").replace(" ", "-").strip("()")


def kernels(ctx: Context) -> list[Row]:
    """Each kernel's image, and two of them by component."""
    rows = []
    for metric, (shape, what) in KERNELS.items():
        elf = ctx.kernel(shape)
        rows.append(Row(metric, totals(elf).resident, "bytes", how=SIZE.format(shape, what)))
        if metric in BY_COMPONENT:
            parts = by_component(elf, paths.kernel_map(shape)).items()
            how = f"./amalgam size --shape {shape}, by component"
            rows += [Row(f"{metric}-of-{named(name)}", sizes.resident, "bytes", how=how) for name, sizes in parts if sizes.resident]
    return [*rows, Row("footprint-svm-bss", totals(ctx.kernel("scc")).bss, "bytes", how="./amalgam size --shape scc: .bss")]


def relocations(program: Path) -> list[int]:
    """The addresses that the kernel relocates when it loads the program."""
    from elftools.elf.elffile import ELFFile

    with program.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".rel.dyn")
        return [entry["r_offset"] for entry in table.iter_relocations()] if table else []


def of_library(program: Path, link_map: Path) -> dict[str, int]:
    """Bytes of each of the library's objects in a program, with the relocations that lie in them."""
    kinds, places, found = section_kinds(program), relocations(program), {}
    for piece in pieces(link_map):
        kind = kinds.get(piece.section, ("bss", 0))[0]
        if kind == "bss" or not (LIBRARY in piece.source or piece.source.endswith(ENTRY)):
            continue
        if piece.section == ".rel.dyn":  # one piece, whoever wants it
            continue
        name = Path(piece.source.rpartition("(")[2].rstrip(")")).stem
        moved = sum(piece.at <= place < piece.at + piece.size for place in places)
        found[name] = found.get(name, 0) + piece.size + moved * RELOCATION
    return found


def linked(ctx: Context, name: str, words: Sequence[str]) -> dict[str, int]:
    """Link a program, and count what of the library is in it."""
    made, link_map = ctx.file(f"{name}.elf"), ctx.file(f"{name}.map")
    tree = natives.toolchain(ctx.progress)
    archive = str(tree / "lib" / "librcce.a")
    all_words = [word.format(archive=archive) for word in words]
    if natives.compile_program([*OURS, *all_words, f"-Wl,-Map={link_map}", "-o", str(made)], tree):
        raise UserError(f"{name} does not link", "read the compiler's messages above")
    return of_library(made, link_map)


def rcce(ctx: Context) -> list[Row]:
    """The lean kernel with what ping-pong links of the library, and with all of it."""
    lean = totals(ctx.kernel("scc-lean")).resident
    nothing = ctx.file("nothing.c")
    nothing.write_text(NOTHING, encoding="utf-8")
    programs = {
        "footprint-rcce": (linked(ctx, "pingpong", [str(PINGPONG)]), "what user/rcce/programs/pingpong.c links of RCCE"),
        "footprint-rcce-all": (linked(ctx, "all-of-rcce", [str(nothing), *WHOLE]), "all of RCCE and iRCCE"),
    }
    rows = []
    for metric, (parts, what) in programs.items():
        how = f"footprint-lean and {what}: code, constants, data, relocations; by the link map"
        rows.append(Row(metric, lean + sum(parts.values()), "bytes", how=how))
        how = f"of {what}, by source, with its relocations"
        rows += [Row(f"{metric}-of-{named(name)}", size, "bytes", how=how) for name, size in sorted(parts.items(), key=lambda p: -p[1])]
    return rows


def rows(ctx: Context) -> list[Row]:
    return [*kernels(ctx), *rcce(ctx)]
