# SPDX-License-Identifier: MIT
"""How long attach and detach take: instructions, time, against memory and CPUs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from amalgam import paths
from amalgam.artifacts.programs import compile_static
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine, quick
from amalgam.errors import UserError
from amalgam.measure import spans
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_to_end, shown_command
from amalgam.system.compile import compile_system
from amalgam.system.units import GIB, MIB

CYCLES, WALL_CYCLES, COUNTED_CYCLES = 50, 200, 20
MODULES = "0xffffffffc0000000:0xffffffffff000000"  # where Linux puts modules: ours alone executes RDTSC there
LOW = (0x100000, 0x40000000)  # where guests begin
FREE_NOISE = 64  # pages that Linux itself takes or frees meanwhile; a domain has thousands
CREATED = {"rt": ("partition", 5), "guest": ("linux", 3)}  # guest: name of the rows, how often
PAPER = {"attach": 210, "detach": 60}  # microseconds
PAPER_INSN = {"attach": "630,000 cycles", "detach": "180,000 cycles"}
MEMORY = {"256m": 256 * MIB, "1g": GIB, "4g": 4 * GIB, "8g": 8 * GIB}


class Cycles(NamedTuple):
    how: str
    times: dict[str, dict[str, int]]  # attach, attach_stop, ... -> min, median, max in ns
    load_seconds: float
    region: int

    def least(self, name: str) -> int:
        return self.times[name]["min"]

    def median(self, name: str) -> int:
        return self.times[name]["median"]


def measure(ctx: Context, machine: LinuxMachine, cores: int, memory: int, icount: bool) -> Cycles:
    """One boot, its cycles."""
    count = CYCLES if icount else WALL_CYCLES
    machine.cores, machine.memory, machine.icount = cores, memory, icount
    machine.append = f"nokaslr norandmaps amalgam.mode=bench amalgam.run=cycles,{count}"
    name = f"{cores}-{memory // MIB}{'-counted' if icount else ''}"
    log = ctx.file(f"{name}.log")
    words = machine.command()
    ctx.progress(f"{cores} CPUs, {memory // MIB} MiB{', counted' if icount else ''}")
    run_to_end([*words, "-serial", f"file:{log}"], 600)
    text = log.read_text(errors="replace").replace("\r", "")
    how = f"{shown_command(words)}, in it: amalgam cycle {count}"
    found, loaded = re.search(r"^\{\"cycles\".*\}$", text, re.M), re.search(r"^loaded: ([\d.]+) ([\d.]+)$", text, re.M)
    status = re.search(r"^\{\"state\".*\}$", text, re.M)
    if not (found and loaded and status):
        raise UserError("the run gave no figures. It said last:\n" + "\n".join(text.splitlines()[-12:]), f"run it by hand: {how}")
    times = json.loads(found[0])
    if times.pop("cycles") != count:
        raise UserError(f"not all of the {count} cycles were made", f"run it by hand: {how}")
    return Cycles(how, times, float(loaded[2]) - float(loaded[1]), json.loads(status[0])["region"])


def counted(ctx: Context, machine: LinuxMachine, sizes: Sequence[str] = tuple(MEMORY)) -> list[Row]:
    """One CPU, against memory."""
    rows, unit = [], "instructions"
    for label in sizes:
        c = measure(ctx, machine, 1, MEMORY[label], True)
        for what in PAPER:
            name = f"{what}-insn" if label == "1g" else f"{what}-insn-{label}"
            rows.append(Row(name, c.median(f"{what}_stop"), unit, None, None, c.how))
            if label == "1g":
                rows.append(Row(f"{what}-whole-insn", c.median(what), unit, PAPER_INSN[what], None, f"{c.how}; with Linux' stop_machine()"))
        if label == "1g":
            rows.append(Row("region", c.region, "bytes", None, None, c.how))
            rows.append(Row("load-insn", round(c.load_seconds * 1e9), unit, None, None, f"{c.how}; to 10 ms"))
    return rows


def timed(ctx: Context, machine: LinuxMachine) -> list[Row]:
    """Wall time of the emulator."""
    rows = []
    for cores in (1, 2, 4):
        c = measure(ctx, machine, cores, GIB, False)
        for what, paper in PAPER.items():
            beside = paper if cores == 1 else None
            rows.append(Row(f"{what}-us-min-{cores}cpu", round(c.least(what) / 1000, 1), "us", beside, None, c.how))
            rows.append(Row(f"{what}-us-median-{cores}cpu", round(c.median(what) / 1000, 1), "us", beside, None, c.how))
            rows.append(Row(f"{what}-stop-us-median-{cores}cpu", round(c.median(f"{what}_stop") / 1000, 1), "us", None, None, c.how))
    return rows


def boot(ctx: Context, machine: LinuxMachine, name: str, run: str, **watch: str | int) -> tuple[str, spans.Counted, str]:
    """One boot that counts each CPU's instructions: what it said, what was counted, and how."""
    out, log = ctx.file(f"{name}.spans"), ctx.file(f"{name}.log")
    machine.icount, machine.append = False, f"nokaslr norandmaps amalgam.mode=bench amalgam.run={run}"
    words = [*machine.command(), *spans.options(out, **watch)]
    words[words.index("tcg")] = spans.TURNS
    ctx.progress(name)
    run_to_end([*words, "-serial", f"file:{log}"], 1800)
    text, how = log.read_text(errors="replace").replace("\r", ""), shown_command(words)
    if "amalgam-init: bench ended with status 0" not in text:
        raise UserError("the run did not end well. It said last:\n" + "\n".join(text.splitlines()[-12:]), f"run it by hand: {how}")
    return text, spans.read(out), how


def per_cpu(ctx: Context, machine: LinuxMachine, cores: int) -> list[Row]:
    """Attach and detach of several CPUs: what each executes from its first instruction in the module to its last, less what
    it waits there for the others."""
    machine.cores, machine.memory = cores, GIB
    _text, counted, how = boot(ctx, machine, f"counted-{cores}", f"cycles,{COUNTED_CYCLES},counted,cycle", tsc=MODULES)
    seen: dict[str, list[int]] = {"attach": [], "detach": []}
    waited: dict[str, list[int]] = {what: [] for what in seen}
    for cpu in range(cores):
        stamps = [stamp for stamp in counted.stamps[-1] if stamp.cpu == cpu]
        if len(stamps) != 4 * COUNTED_CYCLES:
            raise UserError(f"CPU {cpu} passed {len(stamps)} times where {4 * COUNTED_CYCLES} were to be", f"run it by hand: {how}")
        for n, what in enumerate(seen):
            for i in range(2 * n, len(stamps), 4):
                begin, end = stamps[i : i + 2]
                seen[what].append(end.count - begin.count - (end.waited - begin.waited))
                waited[what].append(end.waited - begin.waited)
    unit, rows = "instructions", []
    for what, found in seen.items():
        rows.append(Row(f"{what}-insn-{cores}cpu", median(found), unit, None, None, f"{how}: median of all CPUs"))
        rows.append(Row(f"{what}-insn-{cores}cpu-max", max(found), unit, None, None, f"{how}: of the CPU with most"))
        wait = f"{how}: in loops that wait for the other CPUs, in the emulator's turns"
        rows.append(Row(f"{what}-waits-{cores}cpu", median(waited[what]), unit, None, None, f"{wait}: median"))
        rows.append(Row(f"{what}-waits-{cores}cpu-max", max(waited[what]), unit, None, None, f"{wait}: most"))
    return rows


def domains(ctx: Context, machine: LinuxMachine, guest: str) -> list[Row]:
    """A system beside this Linux: created, until its guest's first instruction, until its first line, destroyed."""
    name, count = CREATED[guest]
    machine.cores, machine.memory = 2, 1536 * MIB
    text, counted, how = boot(ctx, machine, f"domains-{name}", f"domains,{name},{guest},{count}", lo=hex(LOW[0]), hi=hex(LOW[1]), cpu=1)
    kinds = re.findall(r"^counted (create|line|destroy)$", text, re.M)
    pages = [tuple(map(int, words.split())) for words in re.findall(r"^pages: ([\d ]+)$", text, re.M)]
    if kinds != ["create", "line", "destroy"] * (count + 1) or len(pages) != count + 1:
        raise UserError(f"not all {count} were created and destroyed, but: {kinds}", f"run it by hand: {how}")
    create, line, destroy = (counted.spans[3 + n :: 3] for n in range(3))  # the first of each was to become warm
    firsts = [spans.less(one.first or other.first, one.begin) for one, other in zip(create, line, strict=True)]
    until = [spans.less([a + b for a, b in zip(x.begin, x.counts, strict=True)], one.begin) for one, x in zip(create, line, strict=True)]
    if any(len(first) < machine.cores for first in firsts):
        raise UserError("a guest did not begin to run before it had said something", f"run it by hand: {how}")
    managed, free = [before for before, _f, _m, _a in pages] + [pages[-1][2]], [f for _m, f, _n, _a in pages]
    less_free = (free[1] - free[-1]) / (count - 1)
    if len(set(managed)) != 1 or abs(less_free) > FREE_NOISE:
        raise UserError(f"Linux has not as many pages afterwards as before: {pages}", f"run it by hand: {how}")
    unit, what = "instructions", f"domain-{name}"
    values = {
        "create-linux": ([span.counts[0] for span in create], "on CPU 0, the whole command"),
        "create-given": ([first[1] for first in firsts], "on the given CPU, from the command's begin until the guest's first instruction"),
        "first-line": (
            [u[1] - f[1] for u, f in zip(until, firsts, strict=True)],
            "on the given CPU, from there until CPU 0 saw its first line",
        ),
        "destroy-linux": ([span.counts[0] for span in destroy], "on CPU 0, the whole command"),
        "destroy-given": ([span.counts[1] for span in destroy], "on the given CPU, until it is Linux' again"),
    }
    rows = [Row(f"{what}-{row}", median(found), unit, None, None, f"{how}: {of}") for row, (found, of) in values.items()]
    rows.append(Row(f"{what}-pages-lost", managed[0] - managed[-1], "pages", None, None, f"{how}: that Linux manages, {count + 1} times"))
    rows.append(Row(f"{what}-pages-less-free", round(less_free, 1), "pages", None, None, f"{how}: from one creation to the next"))
    return rows


def prepared(ctx: Context) -> LinuxMachine:
    more = {
        "bin/cycles": ctx.folder / "cycles",
        "bin/domains": ctx.folder / "domains",
        "bin/counted": compile_static(paths.CACHE, paths.ROOT / "guests/linux/counted.c", ctx.progress),
        **{f"lib/amalgam/{name}.img": Path(compile_system(ctx.folder / f"{name}.yaml", ctx.progress)[1]) for name, _n in CREATED.values()},
    }
    return linux_machine(build_initrd(ctx.progress, more, "bench-attach"), ctx.progress)


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold."""
    machine = quick(prepared(ctx), ctx.progress)
    return counted(ctx, machine, ("1g", "8g")) + per_cpu(ctx, machine, 2)


def run(ctx: Context) -> list[Row]:
    machine = prepared(ctx)
    rows = counted(ctx, machine) + timed(ctx, machine)
    for cores in (2, 4):
        rows += per_cpu(ctx, machine, cores)
    return rows + domains(ctx, machine, "rt") + domains(ctx, machine, "guest")
