# SPDX-License-Identifier: MIT
"""Parallel programs of a process on all cores, on pages that its runs share (bench/scc/programs/pages.c): each page with one owner (strong), or
mapped by all (lazy). And Jacobi's iteration on the grids of MetalSVM's paper, by each of four models."""

from __future__ import annotations

from functools import partial

from amalgam import paths
from amalgam.board.scc import CHECKED, CORES
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row, module

SYSTEM = paths.BENCH / "scc" / "pages.yaml"
ORDERS = "0135"  # a pause after a row or a block of so many, by chance; 0: none
IN_STEP = "1"  # between one core and all: as cores of one speed
GRIDS = {"32x32": (30, 30), "128x128": (126, 42)}  # inner rows and columns; the bound: 48 cores have 1 and at most 3 rows each
STRONG = (
    "a page has one owner; what is only read is declared read-only; "
    f"on {CORES} cores the worst of {len(ORDERS)} orders of execution, on fewer a pause at every row"
)
MODELS = {  # of pages.c: orders of execution on all cores, and what a row's text says of it
    "lazy": ("0", "all runs map all pages"),
    "strong": (ORDERS, STRONG),
}

part = partial(module, "scc")
apps, clock = part("apps"), part("clocks").FREE


def on_pages(ctx: Context, model: str, cores: int, *what: str) -> list[list[apps.Span]]:
    """Of each part, each order of execution."""
    out = ctx.file(f"pages-{model}-{cores}.clocks")
    out.unlink(missing_ok=True)
    orders = {1: "0", CORES: MODELS[model][0]}.get(cores, IN_STEP)
    system = apps.changed(ctx, SYSTEM, ues=cores, arguments=["pages", model, orders, *what])
    with ctx.board(system, icount=True, extra=coherence.options(out, *CHECKED, *clock.words), chosen=tuple(range(cores))) as board:
        board["pages"].expect("^pages: done", 600)
    marks = coherence.read(out).marks
    parts = len(apps.OTHERS.parts) if what == ("apps",) else 1
    return [apps.spans(marks, cores, at, times=len(orders)) for at in range(parts)]


def by_pages(ctx: Context, programs: tuple[str, ...], end: str, bound: int, *what: str, between: tuple[int, ...] = ()) -> list[Row]:
    """Each program by each model, in its worst order of execution, on all cores and on as many as `between` says. The base is what takes one
    core least."""
    found = {cores: {model: on_pages(ctx, model, cores, *what) for model in MODELS} for cores in (1, *between, CORES)}
    rows = []
    for at, name in enumerate(programs):
        base = apps.least([spans_of[at][0] for spans_of in found[1].values()])
        for model, (_orders, said) in MODELS.items():
            how = f"bench/scc/pages.yaml with `{model}` and `{' '.join(what)}`: one core's instructions by the longest path; {said}"
            spans = {1: base} | {cores: apps.worst(found[cores][model][at]) for cores in (*between, CORES)}
            rows += apps.speed_ups(f"{name}-{model}-{{}}{end}", spans, how, bound)
    return rows


def small_grids(ctx: Context) -> list[Row]:
    """Jacobi's iteration where a row is little work."""
    rows, speedups = [], part("speedups")
    for grid, (size, bound) in GRIDS.items():
        rows += by_pages(ctx, ("jacobi",), f"-{grid}", bound, "jacobi", str(size), str(size))
        how = f"./amalgam run {{}} --icount with `arguments` {size} {size}: one core's instructions by the longest path of {CORES}"
        heat = apps.changed(ctx, paths.ROOT / "systems" / "openmp.yaml", arguments=["heat", str(size), str(size)])
        threads = [
            speedups.measured(ctx, heat, "heat", r"heat: \d+ iterations of \d+ rows on {} threads", cores, clock) for cores in (1, CORES)
        ]
        rows += apps.speed_up(f"jacobi-openmp-{CORES}-{grid}", *threads, how.format("openmp"), bound)
        messages = [apps.measured(ctx, apps.JACOBI, cores, clock, size, size)["jacobi"] for cores in (1, CORES)]
        rows += apps.speed_up(f"jacobi-rcce-{CORES}-{grid}", *messages, how.format("jacobi-rcce"), bound)
    return rows


def rows(ctx: Context) -> list[Row]:
    between = part("speedups").BETWEEN
    return [*by_pages(ctx, apps.OTHERS.parts, "", CORES, "apps", between=between), *small_grids(ctx)]
