# SPDX-License-Identifier: MIT
"""What the kernels of an SCC cost: a switch of threads in software and by the processor's tasks. Messages are in mail.py, page faults in
faults.py, RCCE in rcce.py, its locks in rcce_locks.py, parallel programs in speedups.py and parallel.py, bytes in footprints.py, and some of all these at the
part's latencies in distances.py."""

from __future__ import annotations

import re
from functools import partial

from amalgam.board.board import Board
from amalgam.board.scc import CORES
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module

GAPS = 2000
UNIT = "instructions"
PAPER = "2,100 cycles; sccLinux 6,400"
SWITCHES = {
    "software": "; the kernel of an SCC's core",
    "locks": "; the i586 shape, a kernel for several cores",
    "hardware": "; the i586-hardware shape, the same with tasks of the processor: the jump to one counts as one, 85 clocks and more on a Pentium",
}

part = partial(module, "scc")


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    if not match:
        raise UserError(f"the board did not say {pattern!r}", "see the logs in build/bench/scc/logs/")
    return int(match[1])


def least_gap(board: Board, phase: str) -> int:
    """The shortest of all gaps, which must have been seen."""
    text = board["bench"].text
    gaps = re.findall(rf"^gaps context-switch {phase} \d+((?: \d+)+)\s*$", text.replace("\r", ""), re.MULTILINE)
    values = [int(word) for words in gaps for word in words.split()]
    if len(values) != GAPS:
        raise UserError(f"{phase}: {len(values)} gaps were seen, {GAPS} are a measurement", "see the logs in build/bench/scc/logs/")
    return min(values)


def switches(ctx: Context) -> list[Row]:
    """A switch by the end of a slice (the paper's hourglass), and by yielding."""
    rows = []
    for way, note in SWITCHES.items():
        alone = {"chosen": (0,)} if way == "software" else {}
        with ctx.board(f"{way}.yaml", icount=True, **alone) as board:
            board["bench"].expect(r"bench context-switch yield-max \d+", 120)
            how = f"./amalgam run bench/scc/{way}.yaml --icount: least of {GAPS} gaps{note}"
            rows.append(Row(f"switch-{way}", least_gap(board, "hourglass"), UNIT, PAPER, None, how))
            name = "yield" if way == "software" else f"yield-{way}"
            rows.append(Row(name, least_gap(board, "yield"), UNIT, None, None, how))
    return rows


def common(ctx: Context) -> list[Row]:
    """What both runs measure."""
    rcce = part("rcce")
    return [
        *switches(ctx),
        *part("mail").rows(ctx, number),
        *part("faults").rows(ctx, number),
        *rcce.messages_of_rcce(ctx),
        *rcce.messages_of_processes(ctx),
        *part("footprints").rows(ctx),
    ]


def run(ctx: Context) -> list[Row]:
    rows, speedups = common(ctx), part("speedups")
    one_way = next(row.value for row in rows if row.metric == "rcce-32")
    rows += [
        *speedups.jacobi(ctx, speedups.SOME),
        *speedups.by_openmp(ctx),
        *part("parallel").rows(ctx),
        *speedups.on_all(ctx, one_way),
        *part("rcce").barriers(ctx),
        *part("rcce_locks").rows(ctx),
        *part("distances").rows(ctx, number),
        *speedups.strong(ctx),
    ]
    values = {row.metric: row.value for row in rows}
    part("plots").by_model(values, CORES, ctx.file("models.png"))
    part("plots").curves(values, speedups.COUNTS, ctx.file("curves.png"))
    return rows


def run_short(ctx: Context) -> list[Row]:
    """Without the other kinds of barriers, most numbers of cores and orders of execution, which take most of the time."""
    rows, speedups = common(ctx), part("speedups")
    rows += speedups.jacobi(ctx, speedups.ENDS)
    return [*rows, *speedups.by_messages(ctx, (1, CORES), (1, 8))[0], *part("rcce").barrier_by_fills(ctx), *speedups.strong(ctx, 2)]
