# SPDX-License-Identifier: MIT
"""Bytes an instruction of long transfers between two clusters: of the callers and masters, and of a DMA engine for one copy.

The system runs twice, with few transfers and with more. What a hart executed more in the second run is what those took: boot, start and
end are the same in both.
"""

from __future__ import annotations

from collections.abc import Callable

from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.clocks import Clocks

Counted = Callable[..., tuple[Clocks, str]]
SIZE = 1 << 20  # bytes of a transfer
FEW, MORE = 2, 6
HARTS = 17  # of each cluster
# By hart, as tools/amalgam/system/clusters/model.py numbers them: two masters, then 16 of each cluster, whose last one is its engine.
ENGINES = (2 + HARTS - 2, 2 + 2 * (HARTS - 1) - 1)


def grown(ctx: Context, counted: Counted, bits: int, engines: bool) -> tuple[dict[int, float], str]:
    """Instructions of each hart for one transfer."""
    text = (ctx.folder / "portal.yaml").read_text(encoding="utf-8")
    if bits == 32:
        text = text.replace("board: manycore\n", "board: manycore32\n").replace("shape:cluster\n", "shape:cluster32\n")
    if not engines:
        text = text.replace("dma: true", "dma: false")
    own = []
    for count in (FEW, MORE):
        name = f"portal-{count}{'' if engines else '-without'}-{bits}"
        ctx.file(f"{name}.yaml").write_text(text.replace(f'"{FEW}"', f'"{count}"'), encoding="utf-8")
        found, _ = counted(ctx, name, 64)  # the file says what harts it has
        own.append({hart: instructions for hart, (instructions, _) in found.harts.items()})
    if len(own[0]) != 2 * HARTS or own[0].keys() != own[1].keys():
        raise UserError(f"{len(own[0])} and {len(own[1])} harts ran, not {2 * HARTS}", "look at what the board said")
    return {
        hart: (own[1][hart] - own[0][hart]) / (MORE - FEW) for hart in own[0]
    }, f"bench/nanvix/portal.yaml with {FEW} and {MORE} transfers"


def rows(ctx: Context, counted: Counted, bits: int, suffix: str) -> list[Row]:
    found, how = grown(ctx, counted, bits, True)
    without, _ = grown(ctx, counted, bits, False)
    others = sum(n for hart, n in found.items() if hart not in ENGINES)
    engine = max(found[hart] for hart in ENGINES)
    if min(found[hart] for hart in ENGINES) < SIZE / 16:
        raise UserError("an engine copied nothing", "are the engines' harts still those of ENGINES?")
    of = "bytes an instruction"
    what = "1 MiB from cluster to cluster by kportal_write and kportal_read; all harts of both clusters"
    return [
        Row(f"portal-cpu{suffix}", round(SIZE / others, 2), of, None, None, f"{how}: {what} but the two DMA engines; view all"),
        Row(f"portal-cpu-without{suffix}", round(SIZE / sum(without.values()), 2), of, None, None, f"{how}, dma: false: {what}; view all"),
        Row(
            f"portal-dma{suffix}",
            round(SIZE / engine, 2),
            of,
            None,
            None,
            f"{how}: the DMA engine that executes more, for its copy; view own",
        ),
    ]
