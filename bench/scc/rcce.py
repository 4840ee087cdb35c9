# SPDX-License-Identifier: MIT
"""What RCCE's messages, a lock and barriers take, on the critical path."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row, module

UNIT = "instructions"
CLOCKED = "./amalgam run bench/scc/{}.yaml --icount with the coherence checker's clock: critical path, {}; the mean"
MESSAGES = {"rcce-32": 200, "rcce-8k": 40, "rcce-1m": 2, "lock": 100, "copy": 1, "ircce-32": 200}
BARRIERS = {"barrier": 50, "linear": 20, "central": 20, "tree": 20, "tournament": 20}
KINDS = ("linear", "central", "tree", "tournament")
"""The parts of bench/scc/programs/rcce/cost.c, in order, and how often each does what is counted."""
BARRELFISH = "Barrelfish on the SCC: 4,860 cycles"

part = partial(module, "scc")


def measured(ctx: Context, system: str, parts: dict[str, int], clock: Any) -> dict[str, float]:
    """Each part's critical path on UE 0, once, by a clock of clocks.py."""
    out = ctx.file(f"{Path(system).stem}{clock.end}.txt")
    out.unlink(missing_ok=True)
    with ctx.board(system, icount=True, extra=part("apps").checked(out, clock)) as board:
        board["cost"].expect("cost: done", 120)
    marks = [mark for mark in coherence.read(out).marks if mark.core == 0 and mark.number <= 2 * len(parts)]
    if [mark.number for mark in marks] != list(range(1, 2 * len(parts) + 1)):
        raise UserError(f"UE 0 passed the marks {[mark.number for mark in marks]}", "each part has one before and one behind it")
    pairs = zip(marks[::2], marks[1::2], parts.items(), strict=True)
    return {name: (after.path - before.path) / times for before, after, (name, times) in pairs}


def messages_of_rcce(ctx: Context) -> list[Row]:
    """Between cores 0 and 47 while the others are idle."""
    clock = part("clocks").FREE
    free = measured(ctx, "messages.yaml", MESSAGES, clock)
    how = CLOCKED.format("messages", clock.what)
    sizes = {"rcce-32": BARRELFISH, "ircce-32": None, "rcce-8k": None, "rcce-1m": None}
    rows = [Row(name, round(free[name], 1), UNIT, None, peer, how) for name, peer in sizes.items()]
    rows.append(Row("rcce-1m-of-copy", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def messages_of_processes(ctx: Context) -> list[Row]:
    """The same program in user mode, with a smaller part of the buffers."""
    clock = part("clocks").FREE
    free = measured(ctx, "messages-process.yaml", MESSAGES, clock)
    how = CLOCKED.format("messages-process", clock.what)
    rows = [Row(f"{name}-process", round(free[name], 1), UNIT, None, None, how) for name in ("rcce-32", "ircce-32", "rcce-8k", "rcce-1m")]
    rows.append(Row("rcce-1m-of-copy-process", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock-process", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def barrier(ctx: Context, clock: Any) -> list[Row]:
    """RCCE's own, of 48 cores."""
    found = measured(ctx, "barrier.yaml", {"barrier": BARRIERS["barrier"]}, clock)
    return [Row(f"barrier-48{clock.end}", round(found["barrier"], 1), UNIT, None, None, CLOCKED.format("barrier", clock.what))]


def barrier_by_fills(ctx: Context) -> list[Row]:
    """The same by a fill that costs nothing, and by one that costs 100."""
    clocks = part("clocks")
    return [*barrier(ctx, clocks.FREE), *barrier(ctx, clocks.HUNDRED)]


def barriers(ctx: Context) -> list[Row]:
    """The same, beside the other kinds."""
    clocks, rows = part("clocks"), []
    for clock in (clocks.FREE, clocks.HUNDRED):
        how = CLOCKED.format("barriers", clock.what)
        found = measured(ctx, "barriers.yaml", BARRIERS, clock)
        rows.append(Row(f"barrier-48{clock.end}", round(found["barrier"], 1), UNIT, None, None, how))
        rows += [Row(f"barrier-48-{kind}{clock.end}", round(found[kind], 1), UNIT, None, None, how) for kind in KINDS]
    return rows
