# SPDX-License-Identifier: MIT
"""How many times as long the host takes for a run when tools/plugin/caches.c is in the emulator."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure import caches
from amalgam.measure.benches import Context, Row, module
from amalgam.system.compile import checked

SYSTEMS = ("buffer", "kcall-one")  # of bench/nanvix: fifteen harts that copy, and one that calls its kernel
RUNS = 3


def spent(ctx: Context, path: Path, extra: Sequence[str]) -> float:
    """Seconds of the host's processors that the emulator takes for a system up to its end; none of what builds the system."""
    board = ctx.board(path, icount=True, extra=extra)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with board:
        if board.wait(300):
            raise UserError(f"{path.name} did not power its board off", f"run it by hand: {module('nanvix', 'runs').shown(path)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def rows(ctx: Context, instructions: str, data: str) -> list[Row]:
    """With the plugin and without it by turns."""
    found = []
    for name in SYSTEMS:
        path = paths.ROOT / "bench" / "nanvix" / f"{name}.yaml"
        checked(path, True, ctx.progress)
        ctx.progress(f"{name}: with caches and without, {RUNS} times each")
        words = caches.options(ctx.file(f"{name}.caches"), instructions, data)
        taken = [(spent(ctx, path, words), spent(ctx, path, ())) for _ in range(RUNS)]
        with_, without = (median(of) for of in zip(*taken, strict=True))
        how = f"{path.relative_to(paths.ROOT)} --icount: seconds of the host's processors for the emulator, {with_:.1f} with tools/plugin/caches.c"
        how += f", i={instructions}, d={data}, by {without:.1f} without; medians of {RUNS} runs each, by turns; another host has another figure"
        found.append(Row(f"plugin-times-{name}", round(with_ / without, 1), "x", how=how))
    return found
