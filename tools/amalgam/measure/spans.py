# SPDX-License-Identifier: MIT
"""Counting each CPU's instructions between marks: tools/plugin/spans.c in the emulator, what it wrote here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from amalgam import paths
from amalgam.attach.machine import LinuxMachine
from amalgam.errors import UserError
from amalgam.measure import plugin
from amalgam.measure.benches import Context
from amalgam.measure.counted import run_to_end

ENTRY = "asm_sysvec_apic_timer_interrupt"
BEGIN, END = 1, 2  # of guests/linux/counted.c
TURNS = "tcg,thread=single"  # one counter serves all CPUs


@dataclass
class Span:
    """Between the two marks of a program: instructions of each CPU; timer interrupts of the program's CPU, and instructions of these."""

    counts: list[int]
    ticks: int  # how many
    ticked: int
    cpu: int  # the program's
    begin: list[int] = field(default_factory=list)  # the counts at its begin
    first: list[int] = field(default_factory=list)  # the counts at a guest's first instruction, before the next span; empty: none


@dataclass
class Stamp:
    """An RDTSC that was watched."""

    cpu: int
    ticked: int
    waited: int
    count: int
    address: int


@dataclass
class Counted:
    spans: list[Span] = field(default_factory=list)
    stamps: list[list[Stamp]] = field(default_factory=list)  # span by span


def options(out: Path, **words: str | int) -> list[str]:
    """Words for QEMU; `tsc`, `tick`, `lo`, `hi`, `cpu` as the plugin's header says."""
    return ["-plugin", f"{plugin.built('spans')},out={out}" + "".join(f",{key}={value}" for key, value in words.items())]


def less(now: list[int], before: list[int]) -> list[int]:
    """CPU by CPU; one that had not begun before had none."""
    return [count - (before[cpu] if cpu < len(before) else 0) for cpu, count in enumerate(now)]


def read(out: Path) -> Counted:
    """Parse what the plugin wrote; marks must come in pairs of one CPU."""
    text = out.read_text(encoding="utf-8") if out.is_file() else ""
    if not text.endswith("end\n"):
        raise UserError("the counting plugin did not come to its end", "the board must end by itself or by SIGTERM, not by SIGKILL")
    found, first, stamps = Counted(), [], []
    open_: tuple[list[int], int, int, int] | None = None
    for line in text.splitlines()[:-1]:
        what, *rest = line.split()
        numbers = [int(word, 0) for word in rest]
        if what == "tsc":
            stamps.append(Stamp(*numbers))
        elif what == "first" and open_:
            first = numbers[1:]
        elif what == "first" and found.spans and not found.spans[-1].first:
            found.spans[-1].first = numbers[1:]
        elif what == "mark":
            number, cpu, ticks, ticked, *counts = numbers
            if (number == BEGIN) == (open_ is not None) or (open_ and open_[1] != cpu):
                raise UserError(f"mark {number} on CPU {cpu} has no other one", "a counted program was ended, or moved to another CPU")
            if open_:
                found.spans.append(Span(less(counts, open_[0]), ticks - open_[2], ticked - open_[3], cpu, open_[0], first))
                found.stamps.append(stamps)
            open_ = None if open_ else (counts, cpu, ticks, ticked)
            first, stamps = [], []
    if open_:
        raise UserError("a counted program did not end before the board did", "look at what the board said")
    return found


def tick_address(ctx: Context, machine: LinuxMachine) -> int:
    """Where the stock kernel's timer interrupt enters: a boot of it says so. (nokaslr, so all boots agree.)"""
    kernel = paths.BUILD / "plugin" / f"{machine.kernel.name}.tick"
    if kernel.is_file() and kernel.stat().st_mtime > machine.kernel.stat().st_mtime:
        return int(kernel.read_text(encoding="utf-8"), 16)
    log = ctx.file("tick.log")
    probe = replace(machine, cores=1, icount=False, extra=[])
    probe.append = f"nokaslr amalgam.mode=bench amalgam.run=grep,-w,{ENTRY},/proc/kallsyms"
    ctx.progress(f"asking Linux for {ENTRY}")
    run_to_end([*probe.command(), "-serial", f"file:{log}"], 300)
    found = re.search(rf"^([0-9a-f]{{16}}) \w {ENTRY}", log.read_text(errors="replace"), re.M)
    if not found:
        raise UserError(f"this Linux does not say where {ENTRY} is", f"look into {log}")
    kernel.parent.mkdir(parents=True, exist_ok=True)
    kernel.write_text(found[1], encoding="utf-8")
    return int(found[1], 16)
