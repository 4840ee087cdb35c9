# SPDX-License-Identifier: MIT
"""How long attach and detach take: instructions, time, against memory and CPUs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine
from amalgam.benches import Context, Row
from amalgam.counted import run_to_end, shown_command
from amalgam.errors import UserError
from amalgam.system.units import GIB, MIB

CYCLES, WALL_CYCLES = 50, 200
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
            rows.append(Row(name, c.median(f"{what}_stop"), unit, PAPER_INSN[what] if label == "1g" else None, None, c.how))
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


def prepared(ctx: Context) -> LinuxMachine:
    return linux_machine(build_initrd(ctx.progress, {"bin/cycles": ctx.folder / "cycles"}, "bench-attach"), ctx.progress)


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold."""
    return counted(ctx, prepared(ctx), ("1g", "8g"))


def run(ctx: Context) -> list[Row]:
    machine = prepared(ctx)
    return counted(ctx, machine) + timed(ctx, machine)
