# SPDX-License-Identifier: MIT
"""The critical path of parallel programs on some of the cores, by the coherence checker's clock: what two marks enclose on each of them; and
the parallel programs of programs/rcce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from amalgam import paths
from amalgam.board.scc import CORES
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row

BUFFERS = "31100000:31160000"  # message passing buffers of all cores, physical (docs/scc.md, "Memory")
REGISTERS = ("31200000:31201000", "31160000:31161000")  # RCCE's test-and-set and atomic words: of native programs, of the first process


@dataclass(frozen=True)
class Span:
    """Instructions between two marks: from the first core's begin to the last one's end, and of all cores together, also while they wait."""

    path: int
    all: int


@dataclass(frozen=True)
class Application:
    """A native program: part p lies between the marks 2 p + 1 and 2 p + 2 of each core."""

    system: Path
    domain: str
    last: str  # what it prints at its end
    parts: tuple[str, ...]


JACOBI = Application(paths.ROOT / "systems" / "jacobi-rcce.yaml", "jacobi", r"jacobi: \d+ us", ("jacobi",))
OTHERS = Application(paths.BENCH / "scc" / "apps.yaml", "apps", "apps: done", ("matmul", "fft", "ep"))


def spans(marks: Sequence[coherence.Mark], cores: int, part: int = 0, times: int | None = None) -> list[Span]:
    """Of a part, each time that it ran, or the first `times`. Every core must have passed both of its marks as often."""
    passed = [[[m for m in marks if m.core == core and m.number == 2 * part + side][:times] for core in range(cores)] for side in (1, 2)]
    found = {len(of_core) for side in passed for of_core in side}
    if len(found) != 1 or found == {0} or times not in (None, *found):
        raise UserError(f"not every one of {cores} cores has passed both marks of part {part}", "see the logs in build/bench/scc/logs/")
    return [
        Span(max(m.path for m in end) - min(m.path for m in begin), sum(b.own - a.own for a, b in zip(begin, end, strict=True)))
        for begin, end in zip(*(zip(*side, strict=True) for side in passed), strict=True)
    ]


def least(found: Sequence[Span]) -> Span:
    return min(found, key=lambda span: span.path)


def worst(found: Sequence[Span]) -> Span:
    return max(found, key=lambda span: span.path)


def speed_up(metric: str, one: Span, many: Span, how: str, bound: int = CORES) -> list[Row]:
    """One core's path by that of CORES, and beside it what all of them executed, by what one does alone. `bound`: the most that it can be."""
    return [
        Row(metric, round(one.path / many.path, 2), f"of {bound} times", None, None, how),
        Row(
            f"{metric}-all", round(many.all / one.all, 3), "times", None, None, f"the same runs: instructions of all {CORES} cores by one's"
        ),
    ]


def speed_ups(metric: str, found: dict[int, Span], how: str, bound: int = CORES) -> list[Row]:
    """The rows of all numbers of cores but one; on CORES with what all executed. `bound`: the most that any of them can be."""
    return [
        row
        for cores, span in found.items()
        for row in speed_up(metric.format(cores), found[1], span, how, min(cores, bound))[: 2 if cores == CORES else 1]
        if cores > 1
    ]


def changed(ctx: Context, system: Path, **keys: object) -> str:
    """A file of the system with other keys of its one domain."""
    read = yaml.safe_load(system.read_text(encoding="utf-8"))
    ((_name, domain),) = read["domains"].items()
    domain.update(keys)
    made = ctx.file(system.name)
    made.write_text(yaml.safe_dump(read), encoding="utf-8")
    return str(made)


def checked(out: Path, clock: Any) -> list[str]:
    """The emulator's words for RCCE's memory under the checker, with a clock of clocks.py."""
    return coherence.options(out, "line=32", *(f"uc={area}" for area in (BUFFERS, *REGISTERS)), *clock.words)


def measured(ctx: Context, app: Application, cores: int, clock: Any, *size: int) -> dict[str, Span]:
    """Each part; of Jacobi's iteration on so many rows and columns."""
    out = ctx.file(f"{app.domain}-{cores}{clock.end}.clocks")
    out.unlink(missing_ok=True)
    system = changed(ctx, app.system, ues=cores, arguments=[app.domain, *map(str, size)])
    with ctx.board(system, icount=True, extra=checked(out, clock), chosen=tuple(range(cores))) as board:
        board[app.domain].expect(app.last, 300)
    marks = coherence.read(out).marks
    return {name: spans(marks, cores, part)[-1] for part, name in enumerate(app.parts)}
