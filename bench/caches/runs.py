# SPDX-License-Identifier: MIT
"""A system of bench/nanvix to its end, whose harts have caches."""

from __future__ import annotations

from pathlib import Path

from amalgam.measure import caches
from amalgam.measure.benches import Context, module
from amalgam.measure.caches import Caches
from amalgam.system.compile import checked


def missed(ctx: Context, path: Path, instructions: str, data: str, misses: tuple[int, int] | None = None) -> Caches:
    """What it counted; `misses`: from which mark to which each miss is told."""
    out = ctx.file(f"{path.stem}.caches")
    checked(path, True, ctx.progress)
    ctx.progress(f"{path.stem}: {instructions}, {data}{', each miss' if misses else ''}")
    module("nanvix", "runs").to_end(ctx, path, caches.options(out, instructions, data, misses=misses))
    return caches.read(out)
