# SPDX-License-Identifier: MIT
"""How many times as fast parallel programs are on 48 cores as on one, by the longest path of instructions: on shared pages, by OpenMP, by
messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from amalgam import coherence
from amalgam.benches import Context, Row, module
from amalgam.board.scc import CHECKED, CORES
from amalgam.errors import UserError

BEGIN, END = 1, 2  # marks: svm_mark_begin(), svm_mark_end()
ORDERS = [  # kernel/task/svm_pauses.c: a pause after a row of so many, by chance; whether what is read is declared read-only
    *((5, True), (1, False), (0, True), (1, True), (2, True), (3, True)),
    *((4, True), (0, False), (2, False), (3, False), (4, False), (5, False)),
]
JACOBI = {  # the system, its domain, and the line that tells the end
    "lazy": ("svm", "jacobi", r"jacobi lazy: \d+ iterations on {} cores: 0 words differ"),
    "openmp": ("openmp", "heat", r"heat: \d+ iterations of \d+ rows on {} threads"),
}
HOW = "./amalgam run {} --icount: one core's instructions by the longest path of 48 (the coherence checker's clocks, {})"
COUNTS = (1, 2, 4, 8, 16, 32, CORES)
MODELLED = (CORES, 256, 1024)

part = partial(module, "scc")


def longest_path(ctx: Context, system: str, domain: str, line: str, cores: int, clock: Any) -> int:
    """Of Jacobi's iterations, whose end `line` tells: from the first core's begin to the last one's end, by a clock of clocks.py."""
    out = ctx.file(f"{domain}-{cores}{clock.end}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board(system, icount=True, extra=coherence.options(out, *CHECKED, *clock.words), chosen=tuple(range(cores))) as board:
        board[domain].expect(line.format(cores), 300)
        board.kernel.expect(f"^domain {domain}: done", 60)
    marks = coherence.read(out).marks
    begin, end = ([mark for mark in marks if mark.number == number][-cores:] for number in (BEGIN, END))
    if {mark.core for mark in begin} != set(range(cores)) or {mark.core for mark in end} != set(range(cores)):
        raise UserError(f"not every one of {cores} cores has passed both marks", "see the logs in build/bench/scc/logs/")
    return max(mark.path for mark in end) - min(mark.path for mark in begin)


def jacobi(ctx: Context) -> list[Row]:
    """The speed-up of 48 cores, on lazy pages by a task of the kernel and by OpenMP."""
    clock, rows = part("clocks").FREE, []
    for name, program in JACOBI.items():
        speedup = longest_path(ctx, *program, 1, clock) / longest_path(ctx, *program, CORES, clock)
        rows.append(Row(f"jacobi-{name}-48", round(speedup, 1), "times", "linear", None, HOW.format(program[0], clock.what)))
    return rows


def product(ctx: Context) -> list[Row]:
    """Of two matrices, by OpenMP."""
    clock = part("clocks").FREE
    one, many = (longest_path(ctx, "matmul.yaml", "matmul", r"matmul: on {} threads", cores, clock) for cores in (1, CORES))
    how = HOW.format("bench/scc/matmul.yaml", clock.what)
    return [Row(f"matmul-openmp-{CORES}", round(one / many, 1), "times", "linear", None, how)]


def by_messages(ctx: Context, jacobi: Sequence[int], others: Sequence[int]) -> tuple[list[Row], dict[str, dict[int, int]]]:
    """The speed-ups of RCCE's programs on so many cores, and the paths, by program."""
    apps, clock, rows, paths_of = part("apps"), part("clocks").FREE, [], {}
    how = "./amalgam run {} --icount, `ues` as said: one core's instructions by the longest path (the coherence checker's clocks, a fill costs 0)"
    for app, counts in ((apps.JACOBI, jacobi), (apps.OTHERS, others)):
        found = {cores: apps.measured(ctx, app, cores, clock) for cores in counts}
        system = f"bench/scc/{app.system.name}" if app is apps.OTHERS else app.system.stem
        for name in app.parts:
            paths_of[name] = {cores: found[cores][name] for cores in counts}
            rows += [
                Row(f"{name}-rcce-{cores}", round(paths_of[name][1] / path, 1), "times", "linear", None, how.format(system))
                for cores, path in paths_of[name].items()
                if cores > 1
            ]
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
            rows.append(Row(f"{name}-model-{model.MOST}{end}", round(value), "times", "linear", None, how.format(f"{what}, size {size:,}")))
    part("plots").speed_ups(curves, ctx.file("model.png"), "The model on more cores")
    off = max(model.off(name, costs[name], paths) for name, paths in paths_of.items())
    what = f"how far it is from the paths measured on 2 to {CORES} cores, at most"
    return [*rows, Row("rcce-model-off", round(off, 3), "ratio", None, None, how.format(what))]


def strong(ctx: Context, tried: int = len(ORDERS)) -> list[Row]:
    """The speed-up of 48 cores on strong pages in the first orders of execution of those that the task knows: the worst of those that
    declare what is only read, and if it was all of them, those that do not."""
    one, many = (orders(ctx, cores, tried) for cores in (1, CORES))
    speedup = {order: min(one) / path for order, path in zip(ORDERS, many, strict=False)}
    declared = [value for order, value in speedup.items() if order[1]]
    how = f"./amalgam run bench/scc/pauses.yaml --icount: one core's instructions by the longest path of {CORES}, {{}}"
    found = {
        "": (min(declared), f"the worst of {len(declared)} orders of execution; what an iteration reads is declared read-only"),
        "-undeclared-rows": (speedup[1, False], "not declared: pages move; a pause at every row"),
    }
    if tried == len(ORDERS):
        chance = [value for order, value in speedup.items() if order[0] and not order[1]]
        found["-undeclared"] = min(chance), f"not declared: the worst of {len(chance)} orders with pauses"
        found["-undeclared-turns"] = speedup[0, False], "not declared, no pauses: whole bands one after the other"
    return [
        Row(f"jacobi-strong-48{end}", round(value, 1), "times", "linear", None, how.format(what)) for end, (value, what) in found.items()
    ]


def orders(ctx: Context, cores: int, tried: int) -> list[int]:
    """The longest path of each of the first orders."""
    out = ctx.file(f"pauses-{cores}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("pauses.yaml", icount=True, extra=coherence.options(out, *CHECKED), chosen=tuple(range(cores))) as board:
        board["jacobi"].expect(rf"^order {tried - 1} on {cores} cores: 0 words differ", 600)
        right = len(re.findall(rf"^order \d+ on {cores} cores: 0 words differ", board["jacobi"].text, re.MULTILINE))
    marks = coherence.read(out).marks
    per_core = [[[m.path for m in marks if m.core == core and m.number == n][:tried] for core in range(cores)] for n in (BEGIN, END)]
    if right < tried or any(len(of_core) != tried for side in per_core for of_core in side):
        raise UserError(f"{right} of {tried} orders came to the right result", "see the logs in build/bench/scc/logs/")
    begin, end = (list(zip(*side, strict=True)) for side in per_core)
    return [max(last) - min(first) for first, last in zip(begin, end, strict=True)]
