# SPDX-License-Identifier: MIT
"""Linux 6.1 and what it does most: on the bare board, unmodified as a guest, pre-virtualized, and paravirtualized; instructions of
guest and kernel together, those of Linux's idle loop left out. Two builds of it: with large pages, and with Linux's defaults, whose
kernel memory is in small ones."""

from __future__ import annotations

import struct
from pathlib import Path
from statistics import geometric_mean

import yaml
from amalgam import artifacts
from amalgam.board.fleet import FleetBoard
from amalgam.board.machine import machine_for
from amalgam.board.native import NativeBoard
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.visits import Findings, options, read
from amalgam.previrt import patch_elf
from amalgam.system.compile import compile_system
from elftools.elf.elffile import ELFFile

MARK, RETURN = 0x63FF0000, 0x4E800020
# guests/linux40x/bench.c: the pairs of marks, and how often each does its thing
LOOPS = {"syscall": (10000, "getppid()"), "fork": (100, "fork, exit, wait"), "switch": (2000, "switch: a byte to another process, and its answer"),
         "compute": (1, "CRC of 512 KiB, twice")}  # fmt: skip
PAIRS = ["boot", *LOOPS]
# What Linux does while it has nothing to do: it asks for work all the time, the 405 of this configuration has no wait state.
IDLE = {
    "do_idle",
    "default_idle_call",
    "arch_cpu_idle",
    "arch_cpu_idle_enter",
    "arch_cpu_idle_exit",
    "cpu_idle_poll",
    "__current_set_polling",
    "amalgam_idle",  # of the paravirtualized one
}
GUESTS = ("prev", "para", "full")
VARIANTS = ("native", "full", "prev", "para")
BUILDS = {"linux": "vmlinux", "linux-defaults": "vmlinux-defaults"}  # the rows' names begin so; of linux40x:
GOAL = 1.10
LOADING = (
    "before Linux's first instruction: the kernel's own start, copying Linux and its initrd, storing the patches of the pre-virtualized one"
)
BOOT = 600  # seconds; every instruction is looked at


def marks(program: Path) -> list[int]:
    """Addresses of the program's marks, in their order."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        text = elf.get_section_by_name(".text")
        words = struct.unpack(f">{text['sh_size'] // 4}I", text.data()[: text["sh_size"] // 4 * 4])
        start = text["sh_addr"]
    found = [start + 4 * i for i, pair in enumerate(zip(words, words[1:], strict=False)) if pair == (MARK, RETURN)]
    if len(found) != 2 * len(PAIRS):
        raise UserError(
            f"{program.name} has {len(found)} marks, not {2 * len(PAIRS)}",
            "guests/linux40x/bench.c and bench/proteus/linux.py name the same loops",
        )
    return found


def idle_ranges(vmlinux: Path) -> list[tuple[int, int]]:
    """Where the kernel's idle loop is."""
    with vmlinux.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        found = {
            s.name: (s["st_value"], s["st_value"] + s["st_size"])
            for s in table.iter_symbols()
            if s.name.partition(".")[0] in IDLE and s["st_size"]
        }
    if "do_idle" not in found:
        raise UserError("this Linux has no do_idle", "name its idle loop in bench/proteus/linux.py")
    return list(found.values())


def kernel_name(build: str, variant: str) -> str:
    return BUILDS[build] + ("-para" if variant == "para" else "")


def system(ctx: Context, build: str, variant: str) -> tuple:
    """bench/proteus/linux.yaml, with what makes the build and the variant."""
    wanted = yaml.safe_load((ctx.folder / "linux.yaml").read_text(encoding="utf-8"))
    linux = wanted["domains"]["linux"]
    linux |= {"kernel": f"linux40x:{kernel_name(build, variant)}", "previrt": variant == "prev"}
    if variant == "para":
        linux |= {"irfm": True, "cmdline": linux["cmdline"].replace("ttyS0,115200", "hvc0")}
    path = ctx.file(f"{build}-{variant}.yaml")
    path.write_text(yaml.safe_dump(wanted, sort_keys=False), encoding="utf-8")
    return compile_system(path, ctx.progress)


def count(ctx: Context, build: str, variant: str) -> Findings:
    """Run one variant to its end."""
    idle = idle_ranges(artifacts.piece("linux40x", kernel_name(build, variant), ctx.progress))
    made, image = system(ctx, build, variant)
    out = ctx.file(f"{build}-{variant}-visits")
    out.unlink(missing_ok=True)
    if variant == "native":
        clock = ["-icount", "shift=0,sleep=off", "-seed", "1", "-rtc", "base=2026-01-01,clock=vm"]
        with NativeBoard(made.domains[0], made.memory, clock + options(None, out, idle)) as bare:
            bare.console.expect("bench: done", BOOT)
            bare.console.expect("reboot: ", 60)
            bare.wait(60)
        return read(out)
    if variant == "prev":
        kernel = made.domains[0].kernel
        sites = patch_elf(kernel.path, made.domains[0].memory).sites
        idle = idle + [(s.stub, s.stub + 64) for s in sites if s.stub is not None and any(lo <= s.address < hi for lo, hi in idle)]
    fleet = machine_for(made, image)
    fleet.icount = True
    fleet.extra += options(ctx.kernel("ppc405"), out, idle)
    with FleetBoard(fleet, keep=ctx.file(f"{build}-{variant}-logs")) as board:
        board["linux"].expect("bench: done", BOOT)
        board.wait(60)
    return read(out)


def spans(found: Findings, where: list[int]) -> dict[str, int]:
    """Instructions of the boot and of each loop."""
    wanted = {"boot": (0, where[0])} | {name: (where[2 * i], where[2 * i + 1]) for i, name in enumerate(PAIRS) if i}
    missing = [name for name, span in wanted.items() if span not in found.spans or found.spans[span].n != 1]
    if missing:
        raise UserError(f"{', '.join(missing)} was not measured once", "build/bench/proteus/*-logs has the consoles")
    return {name: found.spans[span].total for name, span in wanted.items()}


def rows(ctx: Context) -> list[Row]:
    where = marks(artifacts.linux40x_program("bench", ctx.progress))
    return [row for build in BUILDS for row in build_rows(ctx, build, where)]


def build_rows(ctx: Context, build: str, where: list[int]) -> list[Row]:
    cost, made = {}, []
    for variant in VARIANTS:
        ctx.progress(f"{build}, {variant}")
        found = count(ctx, build, variant)
        cost[variant] = spans(found, where)
        if variant != "native":
            made.append(Row(f"{build}-load-{variant}", found.start, "instructions", how=LOADING))
    for name in PAIRS:
        times, what = LOOPS.get(name, (1, "from its first instruction to the first program that init starts"))
        how = f"./amalgam bench proteus: Linux 6.1, instructions outside its idle loop, guest and kernel; {what}"
        made += [Row(f"{build}-{name}-{v}", round(cost[v][name] / times), "instructions", how=how) for v in VARIANTS]
        made += ratios(f"{build}-{name}", {v: cost[v][name] for v in VARIANTS}, "of the rows above")
    return made + over_all(build, cost)


def over_all(build: str, cost: dict[str, dict[str, int]]) -> list[Row]:
    """The mean that no loop's length can change."""
    how = f"geometric mean of the {len(PAIRS)} ratios above"
    ratio = {v: geometric_mean(cost[v][name] / cost["native"][name] for name in PAIRS) for v in GUESTS}
    return [over(build, v, ratio[v], how) for v in GUESTS]


def ratios(name: str, of: dict[str, int], how: str) -> list[Row]:
    return [over(name, v, of[v] / of["native"], how) for v in GUESTS]


def over(name: str, variant: str, ratio: float, how: str) -> Row:
    return Row(f"{name}-{variant}-over-native", round(ratio, 3), "x", how=f"{how}; goal {GOAL:.2f}" if variant == "prev" else how)
