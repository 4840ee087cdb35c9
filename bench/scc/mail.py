# SPDX-License-Identifier: MIT
"""Mail between the kernels of an SCC, and between two runs of a process, by each of the three ways to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amalgam.board.monitor import command
from amalgam.board.scc import CHECKED
from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, Row, module

Number = Callable[[str, str], int]
UNIT = "instructions"
ROUNDS = 100
FARTHEST = 47
MAIL = (3, 4)  # marks: before and after the rounds of `mail`, each way
BARRELFISH = "Barrelfish on the SCC: 4,860 cycles"


def messages(ctx: Context, number: Number) -> list[Row]:
    """Of 28 bytes from core 0 to the farthest core and back, with 48 kernels."""
    with ctx.board("scc", icount=True) as board:
        board.kernel.expect("kernels are up", 120)
        text = command(board, f"mail {FARTHEST} {ROUNDS}", 60)
    line = rf"mail to core {FARTHEST} and back, {ROUNDS} times by {{}}: at least (\d+) ticks"
    how = f"./amalgam run scc --icount: `mail {FARTHEST} {ROUNDS}` at the control console; all cores, there and back, the least"
    ways = {"poll": "polling", "irq": "interrupt", "adaptive": "either"}
    return [Row(f"mailbox-{row}-round", number(line.format(word), text), UNIT, None, None, how) for row, word in ways.items()]


def one_way(ctx: Context, number: Number, clock: Any) -> list[Row]:
    """Half of a message there and back, on the critical path of core 0, by a clock of clocks.py."""
    out = ctx.file(f"mail{clock.end}.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("scc", icount=True, extra=coherence.options(out, *CHECKED, *clock.words)) as board:
        board.kernel.expect("kernels are up", 120)
        text = command(board, f"mail {FARTHEST} {ROUNDS}", 120)
        number(r"times by either: at least (\d+) ticks", text)
    marks = [mark for mark in coherence.read(out).marks if mark.core == 0 and mark.number in MAIL]
    if [mark.number for mark in marks] != list(MAIL) * 3:
        raise UserError(f"core 0 passed the marks {[mark.number for mark in marks]}", "each way has one before and one behind it")
    how = f"./amalgam run scc --icount: `mail {FARTHEST} {ROUNDS}` with the coherence checker's clock: critical path, {clock.what}; half of the mean round"
    spans = [(after.path - before.path) / ROUNDS / 2 for before, after in zip(marks[::2], marks[1::2], strict=True)]
    peers = {"irq": "Barrelfish on the SCC: 8,746 cycles, IPI round trip", "poll": BARRELFISH, "adaptive": None}
    return [
        Row(f"mailbox-{name}{clock.end}", round(span, 1), UNIT, None, peer, how)
        for (name, peer), span in zip(peers.items(), spans, strict=True)
    ]


def one_way_of_processes(ctx: Context) -> list[Row]:
    """The same, by calls of a process (user/programs/mail.c)."""
    out = ctx.file("mail-process.clocks")
    out.unlink(missing_ok=True)
    with ctx.board("mail-process.yaml", icount=True, extra=coherence.options(out, *CHECKED)) as board:
        board["mail"].expect(r"mail: 100 messages to each of 1 cores by each of three ways, 0 wrong", 120)
    path = {mark.number: mark.path for mark in coherence.read(out).marks if mark.core == 0 and mark.number <= 6}
    how = "bench/scc/mail-process.yaml with the coherence checker's clock: critical path, a fill costs 0; half of the mean round"
    ways = (("poll", 1), ("irq", 3), ("adaptive", 5))
    return [Row(f"mailbox-{name}-process", round((path[at + 1] - path[at]) / 200, 1), UNIT, None, None, how) for name, at in ways]


def rows(ctx: Context, number: Number) -> list[Row]:
    """`number` finds one in what the board said."""
    return [*messages(ctx, number), *one_way(ctx, number, module("scc", "clocks").FREE), *one_way_of_processes(ctx)]
