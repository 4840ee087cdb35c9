# SPDX-License-Identifier: MIT
"""Table 1 of the Mercury paper: what a Linux pays while the kernel is beneath it, and before and afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from amalgam import artifacts, paths
from amalgam.artifacts import initrd
from amalgam.artifacts.programs import compile_static
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine, quick
from amalgam.errors import UserError
from amalgam.measure import spans
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Figure, Run, finished, run_to_end, shown_command
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
Rows = tuple[tuple[str, int, str | None], ...]
STATES = {
    "again": "never",
    "loaded": "never",
    "attached": "never",
    "detached": "never",
    "guest": "never-2",
    "inside": "never-host",
    "alone": "never",
}  # what each stands beside
TWO_CPUS = ("never-2", "guest", "inside")
HOSTS_CLOCK = ("never-host", *TWO_CPUS)
PROGRAM = "0x400000:0x600000"  # where lmrows reads its clock
TICK = "timer-interrupt"  # left out of the rows, a row of its own: the mean
WARM, ALONE, FAULTS = 8, 1000, 128  # of lmrows: not counted at first; passes of a token with nobody else; faults a round
MEMBERS = {"ctx-2p-0k": 2, "ctx-16p-16k": 16, "ctx-16p-64k": 16}


def prepared(ctx: Context) -> LinuxMachine:
    """One initrd for all states; a small one for the Linux inside."""
    more = {
        "bin/state": ctx.folder / "state",
        **{
            f"bin/{name}": compile_static(paths.CACHE, paths.ROOT / f"guests/linux/{name}.c", ctx.progress)
            for name in ("lmrows", "counted")
        },
    }
    (paths.BUILD / "bench/mercury").mkdir(parents=True, exist_ok=True)
    inner = initrd.build(paths.CACHE, ctx.progress, "shell", dict(more))
    shutil.copyfile(inner, paths.BUILD / "bench/mercury/inside.cpio")  # where inside.yaml has it
    for name in ("guest", "inside"):
        more[f"lib/amalgam/{name}.img"] = Path(compile_system(ctx.folder / f"{name}.yaml", ctx.progress)[1])
    return linux_machine(build_initrd(ctx.progress, more, "bench-mercury"), ctx.progress)


def measure(ctx: Context, machine: LinuxMachine, state: str, rows: Rows = ROWS) -> Run:
    """One boot in one state. But for HOSTS_CLOCK the emulator's clock is its instructions, so that the boot repeats exactly."""
    two = state in TWO_CPUS
    machine.cores, machine.memory, machine.icount = (2 if two else 1), 2 * GIB if two else GIB, state not in HOSTS_CLOCK
    run = ("state", state.removesuffix("-2").removesuffix("-host"), *(row[0] for row in rows))
    machine.append = f"nokaslr norandmaps amalgam.mode=bench amalgam.run={','.join(run)}"
    log, out = ctx.file(f"{state}.log"), ctx.file(f"{state}.spans")
    words = [*machine.command(), *spans.options(out, tsc=PROGRAM, tick=hex(spans.tick_address(ctx, machine)))]
    words[words.index("tcg")] = spans.TURNS
    ctx.progress(f"rows in the state '{state}'")
    run_to_end([*words, "-serial", f"file:{log}"], 1800)
    text = log.read_text(errors="replace").replace("\r", "")
    result = finished(Run(shown_command(words), text=text), "amalgam-init: bench ended with status 0")
    result.figures = dict(with_ticks(spans.read(out), rows, result.how))
    return result


def measure_alone(ctx: Context, rows: Rows = ROWS) -> Run:
    """A stock Linux as the only guest of the pc shape, on one CPU: the clock is instructions here, too."""
    out = ctx.file("alone.spans")
    tick = spans.tick_address(ctx, LinuxMachine(ctx.file("inside.cpio"), artifacts.debian("vmlinuz", ctx.progress)))
    words = spans.options(out, tsc=PROGRAM, tick=hex(tick))
    with ctx.board("alone.yaml", icount=True, extra=words) as board:
        ctx.progress("rows in a guest alone")
        console = board["alone"]
        console.expect("amalgam-init: bench ended with status 0", 1800)
        board.wait(120)
    how = f"./amalgam run bench/mercury/alone.yaml --icount, with {shown_command(words)}"
    return Run(how, dict(with_ticks(spans.read(out), rows, how)))


def with_ticks(counted: spans.Counted, rows: Rows, how: str) -> Iterator[tuple[str, Figure]]:
    """The rows, and that of the timer interrupts that are in none of them."""
    yield from counted_rows(counted, rows, how)
    ticks = sum(span.ticks for span in counted.spans)
    yield TICK, Figure(0, round(sum(span.ticked for span in counted.spans) / max(ticks, 1)), ticks)


def counted_rows(counted: spans.Counted, rows: Rows, how: str) -> Iterator[tuple[str, Figure]]:
    """lmrows' figures in instructions of its CPU without timer interrupts: it reads its clock before and after each
    sample, and only before while it becomes warm. `low` is what a tenth of the samples are below."""
    for (name, samples, _paper), stamps in zip(rows, counted.stamps, strict=True):
        single, alone = (2 * WARM if name == "prot-fault" else FAULTS if name == "page-fault" else WARM), 0
        if name in MEMBERS:
            alone = median(pairs(stamps[WARM : WARM + 2 * ALONE], ALONE, how))
            stamps = stamps[WARM + 2 * ALONE :]
        found = sorted(pairs(stamps[single:], samples, how))
        each = [cost / MEMBERS.get(name, 1) - alone for cost in found]
        yield name, Figure(round(each[len(each) // 10]), round(median(each)), len(each))


def pairs(stamps: list[spans.Stamp], samples: int, how: str) -> list[int]:
    """From each stamp with an even number to the next."""
    if len(stamps) != 2 * samples or any(len({stamp.address for stamp in stamps[n::2]}) != 1 for n in range(2)):
        raise UserError(
            f"lmrows read its clock {len(stamps)} times, or elsewhere, where {2 * samples} were awaited", f"run it by hand: {how}"
        )
    return [b.count - a.count - (b.ticked - a.ticked) for a, b in zip(stamps[::2], stamps[1::2], strict=True)]


def compared(runs: dict[str, Run], rows: Rows, states: list[str]) -> list[Row]:
    """Medians, their ratio to never, and the ratio of what a tenth of the samples are below."""
    result = []
    for name, samples, paper in (*rows, (TICK, 1, None)):
        for state in (*dict.fromkeys(STATES[state] for state in states), *states):
            run, found = runs[state], runs[state].need(name, samples)
            result.append(Row(f"{name}-{state}", found.mid, "instructions", None, None, run.how))
            if state not in states:
                continue
            beside, what = runs[STATES[state]].need(name, samples), f"{name}-{state}"
            ratio, how = (paper if state == "attached" else None), f"{what} / {name}-{STATES[state]}"
            result.append(Row(f"{what}-of-never", round(found.mid / beside.mid, 5), "ratio", ratio, None, how))
            if name != TICK:
                tenth = round(found.low / beside.low, 5)
                result.append(Row(f"{what}-tenth-of-never", tenth, "ratio", None, None, f"{how}, of what a tenth of the samples are below"))
    return result


def run_short(ctx: Context) -> list[Row]:
    """What the budgets hold: quick rows, one CPU."""
    machine, rows = quick(prepared(ctx), ctx.progress), tuple(row for row in ROWS if row[0] in ("ctx-2p-0k", "prot-fault", "page-fault"))
    states = ["attached", "detached"]
    return compared({state: measure(ctx, machine, state, rows) for state in ("never", *states)}, rows, states)


def run(ctx: Context) -> list[Row]:
    machine, states = prepared(ctx), list(STATES)
    runs = {state: measure(ctx, machine, state) for state in dict.fromkeys([*STATES.values(), *states]) if state != "alone"}
    runs["alone"] = measure_alone(ctx)
    return compared(runs, ROWS, states)
