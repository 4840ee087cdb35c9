# SPDX-License-Identifier: MIT
"""Table 1 of the Mercury paper: what a Linux pays while the kernel is beneath it, and before and afterwards."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths
from amalgam.artifacts.programs import compile_static
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine
from amalgam.benches import Context, Row
from amalgam.counted import Run, finished, run_to_end, shown_command
from amalgam.system.compile import compile_system
from amalgam.system.units import GIB

# name of the row and of lmrows' line, samples, the paper's Linux and Mercury in native mode in microseconds
ROWS = (
    ("fork", 200, "93 -> 113 us"),
    ("exec", 200, "340 -> 392 us"),
    ("sh", 200, "1,089 -> 1,220 us"),
    ("ctx-2p-0k", 200, "1.59 -> 2.49 us"),
    ("ctx-16p-16k", 200, "2.29 -> 3.56 us"),
    ("ctx-16p-64k", 200, "3.52 -> 6.90 us"),
    ("mmap", 200, "3,380 -> 3,644 us"),
    ("prot-fault", 1000, "0.55 -> 0.61 us"),
    ("page-fault", 512, "1.19 -> 1.48 us"),
)
STATES = {"loaded": "never", "attached": "never", "detached": "never", "guest": "never-2"}  # what each stands beside
TIMED = ("never-2", "guest")  # of two CPUs, whose instructions the emulator counts as one: the least time is taken


def prepared(ctx: Context) -> LinuxMachine:
    """One initrd for all states."""
    _system, image = compile_system(ctx.folder / "guest.yaml", ctx.progress)
    more = {
        "bin/state": ctx.folder / "state",
        "bin/lmrows": compile_static(paths.CACHE, paths.ROOT / "guests/linux/lmrows.c", ctx.progress),
        "lib/amalgam/system.img": Path(image),
    }
    return linux_machine(build_initrd(ctx.progress, more, "bench-mercury"), ctx.progress)


def measure(ctx: Context, machine: LinuxMachine, state: str, rows: tuple[str, ...] = ()) -> Run:
    """One boot in one state."""
    name = state.removesuffix("-2")
    machine.cores, machine.memory, machine.icount = (2 if state in TIMED else 1), GIB, state not in TIMED
    machine.append = f"nokaslr norandmaps amalgam.mode=bench amalgam.run={','.join(('state', name, *rows))}"
    log = ctx.file(f"{state}.log")
    words = machine.command()
    ctx.progress(f"rows in the state '{state}'")
    run_to_end([*words, "-serial", f"file:{log}"], 1800)
    text = log.read_text(errors="replace").replace("\r", "")
    return finished(Run(shown_command(words), text=text), "amalgam-init: bench ended with status 0")


def compared(runs: dict[str, Run], rows: tuple[tuple[str, int, str], ...], states: list[str]) -> list[Row]:
    result = []
    for name, samples, paper in rows:
        for state in (*dict.fromkeys(STATES[state] for state in states), *states):
            run = runs[state]
            figure = run.need(name, samples)
            value = figure.low if state in TIMED else figure.mid
            result.append(Row(f"{name}-{state}", value, "TSC ticks, least" if state in TIMED else "instructions", None, None, run.how))
            if state not in states:
                continue
            other = runs[STATES[state]].need(name, samples)
            beside = other.low if state in TIMED else other.mid
            ratio = paper if state == "attached" else None
            result.append(
                Row(f"{name}-{state}-of-never", round(value / beside, 4), "ratio", ratio, None, f"{name}-{state} / {name}-{STATES[state]}")
            )
    return result


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold: quick rows, one CPU."""
    machine, rows = prepared(ctx), tuple(row for row in ROWS if row[0] in ("ctx-2p-0k", "prot-fault", "page-fault"))
    states = ["attached", "detached"]
    names = tuple(row[0] for row in rows)
    return compared({state: measure(ctx, machine, state, names) for state in ("never", *states)}, rows, states)


def run(ctx: Context) -> list[Row]:
    machine, states = prepared(ctx), list(STATES)
    runs = {state: measure(ctx, machine, state) for state in dict.fromkeys(["never", "never-2", *states])}
    return compared(runs, ROWS, states)
