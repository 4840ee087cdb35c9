# SPDX-License-Identifier: MIT
"""Nanvix' benchmark fork-join: what a thread costs that returns at once, where each has a core, and where some wait for one."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row, module
from amalgam.measure.counted import run_guest

runs = module("nanvix", "runs")
MOST = runs.MOST


def shares(ctx: Context, bits: int) -> list[Row]:
    """A thread's share of a window of MOST: a core for each, as in the paper, and the same on eight cores, where half of them are queued."""
    suffix = runs.SUFFIX[bits]
    rows = []
    for name, cores, end in (("threads", MOST + 1, ""), ("threads-queued", 8, "-queued")):
        found, how = runs.counted(ctx, name, bits)
        how = f"{how}: {{}}, by the thread of {MOST} on {cores} cores, median of {runs.SAMPLES} windows"
        for row, mark, paper, does in (
            ("spawn", 1, "5,140", "kthread_create on a stack that is there"),
            ("join", 3, "3,420", "kthread_join, and in it what the thread's own run and end take longer"),
        ):
            cycles = None if end else runs.CYCLES.format(paper)
            rows += runs.views(f"{row}{end}{suffix}", runs.window(found, mark), MOST, cycles, how.format(does))
    return rows


def first(ctx: Context) -> list[Row]:
    """On one hart, whose clock ticks every 100 instructions: own and all are the same."""
    run = run_guest(ctx, "fork-join.yaml", "fork-join: done", "fork-join", 120)
    one, all_of_them = (run.need(f"spawn-{n}", runs.SAMPLES).mid for n in (1, MOST))
    of = {n: (run.need(f"spawn-{n}", runs.SAMPLES).mid, run.need(f"join-{n}", runs.SAMPLES).mid) for n in range(1, MOST + 1)}
    module("nanvix", "plots").threads(of, ctx.file("fig8.png"))
    return [
        Row(
            "spawn-first", run.need("spawn-first", 0).low, runs.UNIT, None, None, f"{run.how}: the first one, whose stack is made; view own"
        ),
        Row("spawn-14-of-1", round(all_of_them / one, 2), "ratio", None, None, f"{run.how}: a thread's share of {MOST} of that of one"),
    ]
