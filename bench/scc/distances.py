# SPDX-License-Identifier: MIT
"""The same figures with fills at the SCC's latencies, by the distance of each line from its reader (tools/amalgam/scc/latencies.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from amalgam.board.scc import CORES
from amalgam.measure.benches import Context, Row, module

part = partial(module, "scc")


def messages(ctx: Context) -> list[Row]:
    """RCCE's between cores 0 and 47, and its barrier."""
    rcce, clock = part("rcce"), part("clocks").MESH
    found = rcce.measured(ctx, "messages.yaml", rcce.MESSAGES, clock)
    how = rcce.CLOCKED.format("messages", clock.what)
    rows = [Row(f"{name}{clock.end}", round(found[name], 1), rcce.UNIT, how=how) for name in ("rcce-32", "ircce-32", "rcce-8k")]
    return [*rows, *rcce.barrier(ctx, clock)]


def jacobi(ctx: Context) -> list[Row]:
    """The speed-ups of 48 cores, on lazy pages and by messages."""
    speedups, apps, clock = part("speedups"), part("apps"), part("clocks").MESH
    lazy = [speedups.measured(ctx, *speedups.JACOBI["lazy"], cores, clock) for cores in (1, CORES)]
    rcce = [apps.measured(ctx, apps.JACOBI, cores, clock)["jacobi"] for cores in (1, CORES)]
    return [
        row
        for name, system, found in (("lazy", "svm", lazy), ("rcce", "jacobi-rcce", rcce))
        for row in apps.speed_up(f"jacobi-{name}-48{clock.end}", *found, speedups.HOW.format(system, clock.what))
    ]


def rows(ctx: Context, number: Callable[[str, str], int]) -> list[Row]:
    """`number` finds one in what the board said."""
    clocks = part("clocks")
    return [
        *messages(ctx),
        *part("mail").one_way(ctx, number, clocks.MESH),
        *(row for clock in (clocks.FREE, clocks.QUARTERS) for row in part("faults").migration_path(ctx, clock)),
        *jacobi(ctx),
    ]
