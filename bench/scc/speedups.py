# SPDX-License-Identifier: MIT
"""How many times as fast parallel programs are on 48 cores as on one, by the longest path of instructions: on shared pages, by OpenMP, by
messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from amalgam.board.scc import CHECKED, CORES
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row, module

ORDERS = [  # kernel/proof/svm_pauses.c: a pause after a row of so many, by chance; whether what is read is declared read-only
    *((5, True), (1, False), (0, True), (1, True), (2, True), (3, True)),
    *((4, True), (0, False), (2, False), (3, False), (4, False), (5, False)),
]
JACOBI = {  # the system, its domain, and the line that tells the end
    "lazy": ("svm", "jacobi", r"jacobi lazy: \d+ iterations on {} cores: 0 words differ"),
    "openmp": ("openmp", "heat", r"heat: \d+ iterations of \d+ rows on {} threads"),
}
HOW = "./amalgam run {} --icount: one core's instructions by the longest path of all (the coherence checker's clocks, {})"
HOW_STRONG = "./amalgam run bench/scc/pauses.yaml --icount: one core's instructions by the longest path of {}, {}"
COUNTS = (1, 2, 4, 8, 16, 32, CORES)
ENDS, BETWEEN = (1, CORES), (2, 8, 32)
SOME = (1, *BETWEEN, CORES)
MODELLED = (CORES, 256, 1024)

part = partial(module, "scc")
apps = part("apps")


def measured(ctx: Context, system: str, domain: str, line: str, cores: int, clock: Any) -> apps.Span:
    """A program's last part, whose end `line` tells, by a clock of clocks.py."""
    out = ctx.file(f"{domain}-{cores}{clock.end}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board(system, icount=True, extra=coherence.options(out, *CHECKED, *clock.words), chosen=tuple(range(cores))) as board:
        board[domain].expect(line.format(cores), 300)
        board.kernel.expect(f"^domain {domain}: done", 60)
    return apps.spans(coherence.read(out).marks, cores)[-1]


def by_threads(ctx: Context, counts: Sequence[int], name: str, system: str, domain: str, line: str) -> list[Row]:
    """The speed-up of so many cores by shared pages that all map."""
    clock = part("clocks").FREE
    found = {cores: measured(ctx, Path(system).name, domain, line, cores, clock) for cores in counts}
    return apps.speed_ups(f"{name}-{{}}", found, HOW.format(system, clock.what))


def jacobi(ctx: Context, counts: Sequence[int]) -> list[Row]:
    """On lazy pages by a task of the kernel, and by OpenMP."""
    return [row for name, program in JACOBI.items() for row in by_threads(ctx, counts, f"jacobi-{name}", *program)]


def by_openmp(ctx: Context) -> list[Row]:
    """The other programs."""
    return [
        row
        for name in apps.OTHERS.parts
        for row in by_threads(ctx, SOME, f"{name}-openmp", f"bench/scc/{name}.yaml", name, rf"{name}: on {{}} threads")
    ]


def by_messages(ctx: Context, jacobi: Sequence[int], others: Sequence[int]) -> tuple[list[Row], dict[str, dict[int, int]]]:
    """The speed-ups of RCCE's programs on so many cores, and the paths, by program."""
    clock, rows, paths_of = part("clocks").FREE, [], {}
    how = "./amalgam run {} --icount, `ues` as said: one core's instructions by the longest path (the coherence checker's clocks, a fill costs 0)"
    for app, counts in ((apps.JACOBI, jacobi), (apps.OTHERS, others)):
        found = {cores: apps.measured(ctx, app, cores, clock) for cores in counts}
        system = f"bench/scc/{app.system.name}" if app is apps.OTHERS else app.system.stem
        for name in app.parts:
            paths_of[name] = {cores: found[cores][name].path for cores in counts}
            rows += apps.speed_ups(f"{name}-rcce-{{}}", {cores: found[cores][name] for cores in counts}, how.format(system))
    return rows, paths_of


def on_all(ctx: Context, one_way: float) -> list[Row]:
    """The same from one core to 48, and what a model that is calibrated by them says of 1,024; with plots. `one_way`: a message's."""
    rows, paths_of = by_messages(ctx, COUNTS, COUNTS)
    part("plots").speed_ups(paths_of, ctx.file("speed-ups.png"), "Programs of RCCE on an SCC")
    model, curves = part("model"), {}
    costs = {name: model.calibrate(name, paths[1], paths[2], one_way) for name, paths in paths_of.items()}
    how = "bench/scc/model.py, calibrated by one core, two, and rcce-32: {}"
    for end, size_of, what in (("", model.FULL, "as much work a core as on 48"), ("-thin", model.THIN, "a row or a block a core")):
        for name, size in size_of.items():
            curves[name + end] = {cores: model.path(name, costs[name], cores, size) for cores in (1, *MODELLED)}
            value = curves[name + end][1] / curves[name + end][model.MOST]
            rows.append(
                Row(
                    f"{name}-model-{model.MOST}{end}",
                    round(value),
                    f"of {model.MOST:,} times",
                    None,
                    None,
                    how.format(f"{what}, size {size:,}"),
                )
            )
    part("plots").speed_ups(curves, ctx.file("model.png"), "The model on more cores")
    off = max(model.off(name, costs[name], paths) for name, paths in paths_of.items())
    what = f"how far it is from the paths measured on 2 to {CORES} cores, at most"
    return [*rows, Row("rcce-model-off", round(off, 3), "ratio", None, None, how.format(what))]


def strong(ctx: Context, tried: int = len(ORDERS)) -> list[Row]:
    """The speed-up of 48 cores on strong pages in the first orders of execution of those that the task knows: the worst of those that
    declare what is only read, and if it was all of them, those that do not, and fewer cores."""
    one, many = (orders(ctx, cores, tried) for cores in ENDS)
    span_of = dict(zip(ORDERS, many, strict=False))
    declared = [span for order, span in span_of.items() if order[1]]
    base, between = apps.least(one), []
    found = {
        "": (declared, f"the worst of {len(declared)} orders of execution; what an iteration reads is declared read-only"),
        "-undeclared-rows": ([span_of[1, False]], "not declared: pages move; a pause at every row"),
    }
    if tried == len(ORDERS):
        chance = [span for order, span in span_of.items() if order[0] and not order[1]]
        found["-undeclared"] = chance, f"not declared: the worst of {len(chance)} orders with pauses"
        found["-undeclared-turns"] = [span_of[0, False]], "not declared, no pauses: whole bands one after the other"
        between = strong_between(ctx, base)
    return between + [
        row
        for end, (spans, what) in found.items()
        for row in apps.speed_up(f"jacobi-strong-48{end}", base, apps.worst(spans), HOW_STRONG.format(CORES, what))
    ]


def strong_between(ctx: Context, base: apps.Span) -> list[Row]:
    """The same between one core and 48, in the first of the orders."""
    how = HOW_STRONG.format("all", f"a pause after one row of {ORDERS[0][0]}; what an iteration reads is declared read-only")
    found = {1: base} | {cores: orders(ctx, cores, 1)[0] for cores in BETWEEN}
    return apps.speed_ups("jacobi-strong-{}", found, how)


def orders(ctx: Context, cores: int, tried: int) -> list[apps.Span]:
    """Each of the first orders."""
    out = ctx.file(f"pauses-{cores}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("pauses.yaml", icount=True, extra=coherence.options(out, *CHECKED), chosen=tuple(range(cores))) as board:
        board["jacobi"].expect(rf"^order {tried - 1} on {cores} cores: 0 words differ", 600)
        right = len(re.findall(rf"^order \d+ on {cores} cores: 0 words differ", board["jacobi"].text, re.MULTILINE))
    if right < tried:
        raise UserError(f"{right} of {tried} orders came to the right result", "see the logs in build/bench/scc/logs/")
    return apps.spans(coherence.read(out).marks, cores, times=tried)
