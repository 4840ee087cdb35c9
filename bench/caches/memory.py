# SPDX-License-Identifier: MIT
"""Figures 6 and 7 of the Nanvix paper where threads wait for the banks of their cluster's memory: bench/nanvix's programs, whose misses are
put into the order of time (tools/amalgam/measure/banks.py), and what is left of their speed in smaller and in larger clusters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from amalgam import paths
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.errors import UserError
from amalgam.measure import banks
from amalgam.measure.banks import Banks, Shape, Stretch
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.replay import Replay, Steps, Window, windows

KIB = 4  # of an object, the largest that the counted run has
PAIRS = 7
BANK = 128  # KiB: sixteen are the 2 MiB of the paper's cluster
MIB = (2, 4, 8, 16)
BANKS = (1, 2, 4, 8, 16, 32, 64, 128)
CORES = {4: 1, 8: 3, 12: 5, 16: 7}  # pairs on so many cores, of which one is the master's and one is left to the leader
BEGIN, END, NEVER = 1, 2, 99  # marks of bench/nanvix/programs/nanvix/noise.c; one that no program has
CALLERS = 13


class Buffer:
    """Pairs of threads that pass objects: two runs, of which one says what the kernel takes, the other what each copy misses."""

    def __init__(self, ctx: Context, program: Path, instructions: str, data: str) -> None:
        self.buffers, runs = module("nanvix", "buffer"), module("nanvix", "runs")
        path = ctx.file("buffer-4.yaml")
        source = paths.ROOT / "bench" / "nanvix" / "buffer.yaml"
        path.write_text(source.read_text(encoding="utf-8").replace('"7", "8"', f'"{PAIRS}", "{KIB}"'), encoding="utf-8")
        counted, self.how = runs.counted(ctx, "buffer-4", 64, self.buffers.places(ctx.kernel("cluster"), program))
        begins, end = range(self.buffers.PUTS, self.buffers.GETS + 1), self.buffers.END
        self.every = windows(counted, begins, end)
        self.runs = self.buffers.runs_of(self.every, PAIRS, KIB)
        self.costs = self.buffers.costs_of(self.runs[1, 1], self.runs[PAIRS, 1])
        missed = banks.stretches(module("caches", "runs").missed(ctx, path, instructions, data, (self.buffers.PUTS, NEVER)), begins, end)
        self.stretches = {id(window): of for window, of in zip(self.every, missed, strict=True)}
        for window in self.every:
            self.compare(window)

    def compare(self, window: Window) -> None:
        """The two runs are one: each piece of work has as many instructions."""
        for pieces, stretch in zip(self.buffers.operations(window), self.stretches[id(window)], strict=True):
            if pieces[0].begin not in self.buffers.ACTS and sum(piece.own for piece in pieces) != stretch.own:
                raise UserError("the run with caches is not the run with clocks", "both must be by the instruction counter")

    def work(self, shape: Shape) -> Callable[[Replay], Callable[[Window, int, int], Steps]]:
        def memory(model: Replay) -> Callable[[Window, int, int], Steps]:
            of = Banks(model, shape)
            return lambda window, number, _ticks: of.go(self.stretches[id(window)][number])

        return memory

    def ticks(self, pairs: int, shape: Shape) -> int:
        found: int = self.buffers.replayed(self.runs[pairs, KIB], self.costs, None, self.work(shape))
        return found

    def speed_ups(self, shape: Shape, pairs: range) -> dict[int, float]:
        """By pairs: how much faster so many were than one, by their number."""
        alone = self.ticks(1, shape)
        return {n: alone / self.ticks(n, shape) for n in pairs}


def looped(of: Banks, stretch: Stretch, until: Callable[[], bool]) -> Steps:
    while not until():
        yield from of.go(stretch)


def beside(worker: list[Stretch], others: list[Stretch], shape: Shape) -> list[int]:
    """Ticks of each of the worker's windows, beside harts that do without end, and without a wait for anything but memory, what they did in
    the counted run."""
    model, took, over = Replay(), [], False
    of = Banks(model, shape)

    def work() -> Steps:
        nonlocal over
        for stretch in worker:
            began = model.now
            yield from of.go(stretch)
            took.append(model.now - began)
        over = True

    for stretch in others:
        model.start(looped(of, stretch, lambda: over))
    model.start(work())
    model.run()
    return took


def noise(ctx: Context, path: Path, shape: Shape, instructions: str, data: str) -> tuple[float, float, int]:
    """A window's speed beside callers by its own alone, the lowest; the others' misses in a thousand of their instructions, from the first
    miss to the end; the worker's misses in all windows."""
    found = module("caches", "runs").missed(ctx, path, instructions, data, (BEGIN, NEVER))
    begins = [i for i, mark in enumerate(found.marks) if mark.number == BEGIN]
    hart = found.marks[begins[0]].hart
    worker = [window[0] for window in banks.stretches(found, range(BEGIN, BEGIN + 1), END)]
    others = []
    for other, misses in banks.of_harts([miss for miss in found.misses if miss.hart != hart and miss.marks <= begins[-1]]).items():
        first, last = misses[0].own, found.harts[other].own
        others.append(Stretch(0, last - first, banks.cut(misses, first, last)))
    if len(others) < CALLERS:
        raise UserError(f"{len(others)} harts missed beside the worker, not {CALLERS}", "look at what the board said")
    alone, crowd = beside(worker, [], shape), beside(worker, others, shape)
    rate = 1000 * sum(len(o.misses) for o in others) / sum(o.own for o in others)
    return min(a / b for a, b in zip(alone, crowd, strict=True)), rate, sum(len(s.misses) for s in worker)


def buffer_rows(ctx: Context, instructions: str, data: str) -> list[Row]:
    """Fig. 6, and the dimensions of a cluster: a bank for each 128 KiB."""
    program = programs.make_program("nanvix-buffer", ctx.progress, MACHINES["riscv64"])
    of = Buffer(ctx, program, instructions, data)
    found = {n: of.speed_ups(Shape(banks=n), range(1, PAIRS + 1)) for n in BANKS}
    by_size = {(cores, mib): found[mib * 1024 // BANK][pairs] for cores, pairs in CORES.items() for mib in MIB}
    plots = module("caches", "plots")
    plots.buffer(found, PAIRS, ctx.file("fig6.png"))
    plots.clusters(by_size, list(CORES), MIB, ctx.file("cluster.png"))
    enough = min(n for n in BANKS if found[n][PAIRS] > 0.99 * found[BANKS[-1]][PAIRS])
    replay = f"{of.how} and caches.c, i={instructions}, d={data}, replayed on banks (tools/amalgam/measure/banks.py): {KIB} KiB"
    ideal = f"{replay}, {{}} pairs, banks: {{}}; of their ideal speed-up"
    rows = [
        Row("buffer-7-banks", round(found[16][PAIRS], 3), "ratio", 0.95, None, ideal.format(PAIRS, 16)),
        Row("buffer-4-banks", round(found[16][4], 3), "ratio", 1.0, None, ideal.format(4, 16)),
        Row("buffer-7-one-bank", round(found[1][PAIRS], 3), "ratio", None, None, ideal.format(PAIRS, 1)),
        Row("enough-banks", enough, "banks", None, None, f"{replay}: of {BANKS} the least with 0.99 of what {BANKS[-1]} have"),
    ]
    for cores, mib in ((8, 2), (12, 2), (8, 16), (12, 16), (16, 16)):
        how = ideal.format(CORES[cores], mib * 1024 // BANK)
        rows.append(Row(f"cluster-{cores}-{mib}m", round(by_size[cores, mib], 3), "ratio", None, None, how))
    return rows


def noise_rows(ctx: Context, policies: tuple[str, ...], instructions: str, data: str) -> list[Row]:
    """Fig. 7, by what a remote call does to caches: where the others miss most, the worker notices most."""
    rows = []
    for policy in policies:
        path = paths.ROOT / "bench" / "nanvix" / "noise.yaml"
        if policy != "nothing":
            path = module("nanvix", "policy").with_kernel(path, ctx.file(f"noise-{policy}.yaml"), f"cluster-{policy}")
        suffix = f"-{policy}" if policy != "nothing" else ""
        for banks_, name, paper in ((16, "noise-banks", 0.991), (1, "noise-one-bank", None)):
            efficiency, rate, own = noise(ctx, path, Shape(banks=banks_), instructions, data)
            how = f"bench/nanvix/noise.yaml, policy {policy}, caches.c, i={instructions}, d={data}, replayed on banks, {banks_} of them"
            how += f": a window beside callers, who miss {rate:.0f} lines in 1,000 instructions; the worker misses {own} in all windows"
            rows.append(Row(f"{name}{suffix}", round(efficiency, 4), "ratio", paper, None, how))
    return rows
