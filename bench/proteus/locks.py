# SPDX-License-Identifier: MIT
"""Figure 3 and the worst wait of section 3.3: the lock's routines for one to eight cores, counted without rivals; the wait by the
paper's formula from them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amalgam import paths, proc
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.drawing import pyplot
from amalgam.measure.visits import Count, options, read, symbols
from amalgam.wcet.analyse import Analysis
from amalgam.wcet.code import one
from amalgam.wcet.image import load
from amalgam.wcet.ipet import Others

CORES = range(1, 9)
ROUNDS = 16
# The paper's figures for four cores; its wait and signal are without the mutex around them, ours here, too.
PAPER = {
    "mutex-start-4": 169,
    "mutex-stop": 11,
    "wait-short": 14,
    "wait-long": 46,
    "signal-short": 15,
    "signal-long": 54,
    "bakery-worst-4": 1797,
}
HOW = "./amalgam bench proteus: guests/ppc405/locks, the kernel's bakery.c and the paper's semaphore on it, instructions"


def counted(ctx: Context, guest: Path, cores: int) -> dict[str, Count]:
    """Instructions of each routine on a board of `cores`, with what it calls."""
    from amalgam.board.native import NativeBoard
    from amalgam.system.compile import compile_system

    source = ctx.file(f"locks-{cores}.yaml")
    source.write_text(
        "# SPDX-License-Identifier: MIT\nsystem: locks\nboard: ref405ep\ncores: 1\ndomains:\n"
        f"  locks: {{kernel: build:locks.elf, memory: 4M, cores: [0], cmdline: cores={cores}}}\n"
    )
    system, _ = compile_system(source, ctx.progress)
    out = ctx.file(f"locks-{cores}.visits")
    out.unlink(missing_ok=True)
    with NativeBoard(system.domains[0], system.memory, options(guest, out)) as board:
        board.console.expect(rf"locks: cores={cores} done, 0 failed", 60)
        board.wait(30)
    found, where = read(out), symbols(guest)
    calls = {name: found.calls.get(where[name]) for name in ("mutex_start", "stop", "sem_wait", "sem_signal")}
    if not all(call and call.n >= 2 * ROUNDS for call in calls.values()):
        raise UserError(f"the lock's routines were not called {2 * ROUNDS} times on {cores} cores", HOW)
    return calls


def rows(ctx: Context) -> list[Row]:
    guests = paths.ROOT / "guests" / "ppc405"
    subprocess.run([proc.need("make", "make"), "-s", "-C", str(guests)], check=True)
    guest = paths.BUILD / "guests" / "ppc405" / "locks.elf"
    image = load(guest)
    made, plot = [], {}
    for cores in CORES:
        ctx.progress(f"locks: {cores} cores")
        seen = counted(ctx, guest, cores)
        start, stop = seen["mutex_start"].high, seen["stop"].high
        # Wait long ends when somebody else acts, so it is the bound of the path to there.
        long = Analysis(image, one, Others(cores)).bound(image.symbols["sem_wait"]).cost
        parts = {
            "wait-short": seen["sem_wait"].low - start - stop,
            "wait-long": long - start - stop,
            "signal-short": seen["sem_signal"].low - start - stop,
            "signal-long": seen["sem_signal"].high - start - stop,
        }
        others = cores - 1
        worst = others * (start + parts["wait-short"] + stop + others * (parts["wait-long"] + stop) + start + parts["signal-long"] + stop)
        plot[cores] = {"mutex start": start, "mutex stop": stop, **parts, "worst wait": worst}
        made.append(Row(f"mutex-start-{cores}", start, "instructions", PAPER.get(f"mutex-start-{cores}"), how=HOW))
        made.append(
            Row(
                f"bakery-worst-{cores}",
                worst,
                "instructions",
                PAPER.get(f"bakery-worst-{cores}"),
                how="the paper's formula (3.3) on the measured parts",
            )
        )
        if cores == 4:
            made.append(Row("mutex-stop", stop, "instructions", PAPER["mutex-stop"], how=HOW))
            made += [
                Row(
                    name,
                    value,
                    "instructions",
                    PAPER[name],
                    how=HOW + ("; to where it waits, by amalgam wcet" if name == "wait-long" else ""),
                )
                for name, value in parts.items()
            ]
    draw(ctx, plot)
    return made


def draw(ctx: Context, plot: dict[int, dict[str, int]]) -> None:
    """Figure 3: the routines over the number of cores."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(7, 4))
    for name in next(iter(plot.values())):
        if name != "worst wait":
            axes.plot(list(plot), [row[name] for row in plot.values()], marker="o", label=name)
    axes.set_xlabel("cores")
    axes.set_ylabel("instructions")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.tight_layout()
    figure.savefig(ctx.file("locks.png"))
    plt.close(figure)
