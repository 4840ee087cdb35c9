# SPDX-License-Identifier: MIT
"""What page faults of shared virtual memory take: of kernels' tasks and of processes, and where a page's frame moves, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from amalgam.board.scc import CHECKED
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row

Number = Callable[[str, str], int]
FAULTS = 32
UNIT = "instructions"


def accesses(text: str, line: str, system: str, metric: str) -> list[Row]:
    """What kinds of accesses take, of `text`: what both cores said, in lines that begin with `line` and the kind."""
    how = f"./amalgam run bench/scc/{system} --icount: the most of {{}} accesses; both cores one after the other, all others asleep"
    rows = []
    for kind, samples in (("strong", FAULTS), ("lazy", FAULTS), ("written", FAULTS - 1)):
        found = [int(word) for word in re.findall(rf"{line}{kind}: {samples} times, least \d+, median \d+, most (\d+)", text)]
        if len(found) != 1 + (kind == "written"):
            raise UserError(f"the board did not say what {metric.format(kind)} takes", "see the logs in build/bench/scc/logs/")
        rows.append(Row(metric.format(kind), max(found), UNIT, None, None, how.format(samples)))
    return rows


def faults(ctx: Context, number: Number) -> list[Row]:
    """Of one access: the first one to a lazy page, to a strong page that another core owns, and to one that the other core has written."""
    with ctx.board("svm.yaml", icount=True) as board:
        board.kernel.expect(r"^core 1: .*domain bench: done", 120)
        text = board["bench"].text + board.kernel.text
    rows = accesses(text, "bench svm fault-", "svm.yaml", "svm-fault-{}")
    how = "./amalgam run bench/scc/svm.yaml --icount: 32 pages, {}, and a release; all other cores asleep"
    for pattern, what in (("sparse", "a word of each stored to once"), ("dense", "every word stored to 8 times")):
        rows += [
            Row(f"svm-{model}-{pattern}", number(rf"bench svm {model}-{pattern}: (\d+) ticks", text), UNIT, None, None, how.format(what))
            for model in ("lazy", "twins")
        ]
    return rows


def faults_of_processes(ctx: Context) -> list[Row]:
    """The same accesses, of two runs of a process (bench/scc/programs/faults.c)."""
    with ctx.board("svm-process.yaml", icount=True) as board:
        board.kernel.expect(r"^core 1: .*domain faults: done: exit status 0", 120)
        text = board["faults"].text + board.kernel.text
    return accesses(text, "faults: ", "svm-process.yaml", "svm-fault-{}-process")


def migration(ctx: Context, number: Number) -> list[Row]:
    """Of marked pages whose frames are at the other corner of the chip: an access that takes the page and has its frame copied near."""
    with ctx.board("touch.yaml", icount=True) as board:
        board.kernel.expect(r"^domain bench: done", 120)
        text = board["bench"].text
    most = number(rf"bench touch: {FAULTS} times, least \d+, median \d+, most (\d+)", text)
    copy = number(r"bench touch: a copy alone (\d+)", text)
    how = f"./amalgam run bench/scc/touch.yaml --icount: the most of {FAULTS} accesses; both cores one after the other, all others asleep"
    use = f"./amalgam run bench/scc/touch.yaml --icount: {FAULTS} of 48 marked pages of a core are touched, and half of each is used"
    return [
        Row("svm-migrate", most - copy, UNIT, None, None, f"{how}; less what copying a page alone takes, {copy}"),
        Row("svm-migrate-with-copy", most, UNIT, None, None, how),
        Row("svm-migrate-moved", number(r"bench touch: (\d+) bytes moved", text), "bytes", None, None, use),
        Row("svm-migrate-needed", number(r"bytes moved, (\d+) needed", text), "bytes", None, None, use),
    ]


def migration_path(ctx: Context, clock: Any) -> list[Row]:
    """The same accesses with their copies on the critical path, by a clock of clocks.py; the most of them."""
    out = ctx.file(f"touch{clock.end}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("touch.yaml", icount=True, extra=coherence.options(out, *CHECKED, *clock.words)) as board:
        board.kernel.expect(r"^domain bench: done", 120)
    begin, end = ([mark.path for mark in coherence.read(out).marks if mark.core == 0 and mark.number == side] for side in (1, 2))
    if len(begin) != FAULTS or len(end) != FAULTS:
        raise UserError(f"core 0 passed {len(begin)} and {len(end)} marks", "each access has one before and one behind it")
    most = max(after - before for before, after in zip(begin, end, strict=True))
    how = f"./amalgam run bench/scc/touch.yaml --icount with the coherence checker's clock: critical path, {clock.what}"
    return [Row(f"svm-migrate-path{clock.end}", most, UNIT, None, None, f"{how}; the most of {FAULTS} accesses, each with its copy")]


def rows(ctx: Context, number: Number) -> list[Row]:
    """`number` finds one in what the board said."""
    return [*faults(ctx, number), *faults_of_processes(ctx), *migration(ctx, number)]
