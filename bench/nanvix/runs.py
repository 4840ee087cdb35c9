# SPDX-License-Identifier: MIT
"""Runs of the bench's systems under the plugin that counts, and what of their windows becomes a row."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure import clocks
from amalgam.measure.benches import Context, Row
from amalgam.measure.clocks import Clocks, Span
from amalgam.system.compile import checked

UNIT = "instructions"
SAMPLES = 30  # Nanvix' NITERATIONS
MOST = 14  # threads, as the paper's cluster has beside the leader
CYCLES = "{} cycles"
SHAPES = {64: "cluster", 32: "cluster32"}
SUFFIX = {64: "", 32: "-32"}


def system(ctx: Context, name: str, bits: int) -> Path:
    """A system of the bench's folder, or one that the bench has made, for harts of so many bits."""
    source = ctx.folder / f"{name}.yaml"
    if not source.is_file():
        return ctx.file(f"{name}.yaml")
    if bits == 64:
        return source
    text = source.read_text(encoding="utf-8").replace("board: manycore\n", "board: manycore32\n")
    made = ctx.file(f"{name}-{bits}.yaml")
    made.write_text(text.replace("kernel: shape:cluster\n", f"kernel: shape:{SHAPES[bits]}\n"), encoding="utf-8")
    return made


def shown(path: Path) -> str:
    """The command that runs it."""
    return f"./amalgam run {path.relative_to(paths.ROOT) if path.is_relative_to(paths.ROOT) else path.name} --icount"


def to_end(ctx: Context, path: Path, extra: Sequence[str], icount: bool = True) -> None:
    """A system until it powers its board off. `extra`: words for QEMU. Without `icount` the turns of the harts are of the host's time."""
    turns = {} if icount else {"accel": "tcg,thread=single"}
    with ctx.board(path, icount=icount, **turns, extra=extra) as board:
        if board.wait(300):
            raise UserError(f"{path.name} did not power its board off", f"run it by hand: {shown(path)}")


def counted(
    ctx: Context, name: str, bits: int, places: dict[int, int] | None = None, events: bool = False, icount: bool = True
) -> tuple[Clocks, str]:
    """A system to its end under the plugin, for which each word of the clusters and of the network is a flag. `places`: marks of kernel
    functions. `events`: doorbells, too. `icount`: as in to_end()."""
    path, out = system(ctx, name, bits), ctx.file(f"{name}-{bits}.clocks")
    placed = checked(path, True, ctx.progress)
    ctx.progress(f"{path.stem}: marks")
    to_end(ctx, path, clocks.options(out, [(placed.noc, placed.end)], events=events, places=places), icount)
    how = shown(path) if icount else shown(path).replace("--icount", "on -accel tcg,thread=single")
    return clocks.read(out), f"{how}, tools/plugin/clocks.c"


def window(found: Clocks, mark: int, samples: int = SAMPLES) -> Span:
    """The median of the last windows between mark `mark` and the next one, view by view."""
    spans = found.spans(mark, mark + 1, samples)[-samples:]
    return Span(*(round(statistics.median(getattr(span, view) for span in spans)) for view in ("own", "path", "all")))


def views(name: str, span: Span, per: int, paper: str | None, how: str) -> list[Row]:
    """An operation, of which a window holds `per`: a row of its path, and one of all harts."""
    return [
        Row(name, round(span.path / per), UNIT, paper, None, f"{how}; view path"),
        Row(f"{name}-all", round(span.all / per), UNIT, None, None, f"{how}; view all"),
    ]
