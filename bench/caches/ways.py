# SPDX-License-Identifier: MIT
"""What messages, pages, barriers and calls between clusters miss in caches of instructions of 8 KiB, by ways, lines and prefetching."""

from __future__ import annotations

from collections.abc import Callable

from amalgam.measure.benches import Context, Row, module
from amalgam.measure.caches import Caches

SAMPLES = 30
KINDS = {"mailbox": (3, 40), "portal-page": (5, 20), "sync": (1, 20)}  # of remote.c of bench/nanvix: the mark of a window, what it holds
WAYS = (1, 2, 4, 8)
SHAPES = {
    **{f"{ways}-way": f"8K:{ways}:64" for ways in WAYS},
    **{f"{ways}-way-ahead": f"8K:{ways}:64:ahead=1" for ways in WAYS},
    "lines-32": "8K:2:32",
    "lines-128": "8K:2:128",
}
ROWS = ("2-way", "4-way", "2-way-ahead", "lines-32", "lines-128")

Missed = dict[tuple[str, str], float]  # by kind and shape: lines of all harts


def missed(run_with: Callable[..., Caches], ctx: Context) -> Missed:
    found = {}
    for name, shape in SHAPES.items():
        run = run_with(ctx, "remote", instructions=shape)
        for kind, (mark, holds) in KINDS.items():
            windows = run.windows(mark, mark + 1, SAMPLES, "all")[-SAMPLES:]
            found[kind, name] = sum(window.missed_i for window in windows) / SAMPLES / holds
    return found


def rows(run_with: Callable[..., Caches], ctx: Context) -> list[Row]:
    found = missed(run_with, ctx)
    module("caches", "plots").ways(found, list(KINDS), WAYS, ctx.file("ways.png"))
    how = "bench/nanvix/remote.yaml, tools/plugin/caches.c, i={}: " + f"the mean of {SAMPLES} windows; lines of instructions, all harts"
    return [
        Row(f"missed-i-{kind}-{name}", round(found[kind, name], 1), "lines", None, None, how.format(SHAPES[name]))
        for kind in KINDS
        for name in ROWS
    ]
