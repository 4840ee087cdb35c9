# SPDX-License-Identifier: MIT
"""What the servers of a many-core cost a program of another cluster (user/servers, docs/servers.md)."""

from __future__ import annotations

from amalgam.benches import Context, Row, module

runs = module("nanvix", "runs")
BATCH = 20  # operations between two marks of the programs


def run(ctx: Context) -> list[Row]:
    one, how = runs.counted(ctx, "names", 64)
    three, how_3 = runs.counted(ctx, "names-3", 64)
    memory, how_m = runs.counted(ctx, "memory", 64)
    of = f"median of windows of {BATCH}"
    return [
        *runs.views("name-lookup", runs.window(one, 1), BATCH, None, f"{how}: nanvix_name_lookup() of a name that was not asked for; {of}"),
        *runs.views(
            "name-lookup-3", runs.window(three, 1), BATCH, None, f"{how_3}: the same with three servers, of which two are asked; {of}"
        ),
        Row("name-lookup-cached", round(runs.window(one, 3).own / BATCH), runs.UNIT, how=f"{how}: of one that was; {of}; view own"),
        *runs.views(
            "remote-page-miss",
            runs.window(memory, 1),
            BATCH,
            None,
            f"{how_m}: nanvix_rcache_peek() and _put() of a page that is not here; {of}",
        ),
        Row("remote-page-hit", round(runs.window(memory, 3).own / BATCH), runs.UNIT, how=f"{how_m}: of one that is; {of}; view own"),
    ]
