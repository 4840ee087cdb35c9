# SPDX-License-Identifier: MIT
"""RCCE's kinds of locks: what taking one and giving it back takes where nobody else wants it, and handing it over among 48 cores."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from amalgam.board.scc import CORES
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row, module

KINDS = {"tas": "test-and-set", "backoff": "backoff", "tree": "tree", "queue": "queue"}
"""The first kinds of bench/scc/programs/rcce/locks.c, in order: as rows name them, and as the program does."""
OURS = "queue"  # lock-48 is that one
ALONE, SECTIONS = 100, 10 * CORES
UNIT = "instructions"

part = partial(module, "scc")


def name_of(kind: str) -> str:
    return "lock-48" if kind == OURS else f"lock-48-{kind}"


def rows_of(ctx: Context, clock: Any) -> list[Row]:
    """By one of the clocks of clocks.py."""
    out = ctx.file(f"rcce-locks{clock.end}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("rcce-locks.yaml", icount=True, extra=part("apps").checked(out, clock)) as board:
        board["locks"].expect("locks: done", 300)
        text = board["locks"].text
    path = {mark.number: mark.path for mark in coherence.read(out).marks if mark.core == 0}
    how = part("rcce").CLOCKED.format("rcce-locks", clock.what)
    rows = []
    for i, (kind, word) in enumerate(KINDS.items()):
        said = re.search(rf"locks: {word}: {SECTIONS} sections, from another UE (\d+) times, 0 lost", text)
        if not said or not {4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i + 4} <= path.keys():
            raise UserError(f"the lock '{word}' was not right, or UE 0 did not pass its marks", "see the logs in build/bench/scc/logs/")
        over = f"{how}; handed over among {CORES} cores, of {SECTIONS} times {said[1]} to another core"
        rows.append(Row(f"{name_of(kind)}{clock.end}", round((path[4 * i + 4] - path[4 * i + 3]) / SECTIONS, 1), UNIT, how=over))
        if not clock.end:
            one = (path[4 * i + 2] - path[4 * i + 1]) / ALONE
            rows.append(Row(f"lock-alone-{kind}", round(one, 1), UNIT, how=f"{how}; taken and given back, no other core wants it"))
            changes = f"of {SECTIONS} sections, those in which the lock came from another core"
            rows.append(Row(f"{name_of(kind)}-changes", int(said[1]), "times", how=f"./amalgam run bench/scc/rcce-locks.yaml: {changes}"))
    return rows


def rows(ctx: Context) -> list[Row]:
    clocks = part("clocks")
    return [row for clock in (clocks.FREE, clocks.HUNDRED, clocks.MESH) for row in rows_of(ctx, clock)]
