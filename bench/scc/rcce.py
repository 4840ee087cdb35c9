# SPDX-License-Identifier: MIT
"""What RCCE's messages, locks and barriers take, on the critical path."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from amalgam import coherence
from amalgam.benches import Context, Row, module
from amalgam.errors import UserError

UNIT = "instructions"
FILLS = {"barrier-48": 0, "barrier-48-fill-100": 100}  # instructions for a line that another core wrote
CLOCKED = "./amalgam run bench/scc/{}.yaml --icount with the coherence checker's clock: critical path, a fill costs {}; the mean"
MESSAGES = {"rcce-32": 200, "rcce-8k": 40, "rcce-1m": 2, "lock": 100, "copy": 1, "ircce-32": 200}
BARRIERS = {"barrier": 50, "linear": 20, "central": 20, "tree": 20, "tournament": 20, "lock-48": 480}
KINDS = ("linear", "central", "tree", "tournament")
"""The parts of user/rcce/programs/cost.c, in order, and how often each does what is counted."""
BARRELFISH = "Barrelfish on the SCC: 4,860 cycles"

part = partial(module, "scc")


def rcce(ctx: Context, system: str, parts: dict[str, int], fill: int) -> dict[str, float]:
    """Each part's critical path on UE 0, once."""
    out = ctx.file(f"{Path(system).stem}-{fill}.txt")
    with ctx.board(system, icount=True, extra=part("apps").checked(out, fill)) as board:
        board["cost"].expect("cost: done", 120)
    marks = [mark for mark in coherence.read(out).marks if mark.core == 0 and mark.number <= 2 * len(parts)]
    if [mark.number for mark in marks] != list(range(1, 2 * len(parts) + 1)):
        raise UserError(f"UE 0 passed the marks {[mark.number for mark in marks]}", "each part has one before and one behind it")
    pairs = zip(marks[::2], marks[1::2], parts.items(), strict=True)
    return {name: (after.path - before.path) / times for before, after, (name, times) in pairs}


def messages_of_rcce(ctx: Context) -> list[Row]:
    """Between cores 0 and 47 while the others are idle."""
    free = rcce(ctx, "messages.yaml", MESSAGES, 0)
    how = CLOCKED.format("messages", 0)
    sizes = {"rcce-32": BARRELFISH, "ircce-32": None, "rcce-8k": None, "rcce-1m": None}
    rows = [Row(name, round(free[name], 1), UNIT, None, peer, how) for name, peer in sizes.items()]
    rows.append(Row("rcce-1m-of-copy", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def messages_of_processes(ctx: Context) -> list[Row]:
    """The same program in user mode, with a smaller part of the buffers."""
    free = rcce(ctx, "messages-process.yaml", MESSAGES, 0)
    how = CLOCKED.format("messages-process", 0)
    rows = [Row(f"{name}-process", round(free[name], 1), UNIT, None, None, how) for name in ("rcce-32", "ircce-32", "rcce-8k", "rcce-1m")]
    rows.append(Row("rcce-1m-of-copy-process", round(free["rcce-1m"] / free["copy"], 3), "ratio", None, None, how + "; of REP MOVSL once"))
    rows.append(Row("lock-process", round(free["lock"], 1), UNIT, None, None, how + "; taken and given back, no other core wants it"))
    return rows


def barrier(ctx: Context) -> list[Row]:
    """RCCE's own, of 48 cores."""
    once = {"barrier": BARRIERS["barrier"]}
    return [
        Row(name, round(rcce(ctx, "barrier.yaml", once, fill)["barrier"], 1), UNIT, None, None, CLOCKED.format("barrier", fill))
        for name, fill in FILLS.items()
    ]


def barriers(ctx: Context) -> list[Row]:
    """The same, beside the other kinds and a lock that all want."""
    rows = []
    for name, fill in FILLS.items():
        note = CLOCKED.format("barriers", fill)
        found = rcce(ctx, "barriers.yaml", BARRIERS, fill)
        rows.append(Row(name, round(found["barrier"], 1), UNIT, None, None, note))
        end = name.removeprefix("barrier-48")
        rows += [Row(f"barrier-48-{kind}{end}", round(found[kind], 1), UNIT, None, None, note) for kind in KINDS]
        note += "; a lock with a row, handed from one core to another"
        rows.append(Row(f"lock-48{end}", round(found["lock-48"], 1), UNIT, None, None, note))
    return rows
