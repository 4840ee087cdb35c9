# SPDX-License-Identifier: MIT
"""What it costs our own kernel to attach the layer beneath itself, to detach it, and to go by the object."""

from __future__ import annotations

import re

from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row

ROUNDS = 5
OPERATIONS = 1000
UNIT = "instructions"
PAPER = {"attach": "0.22 ms", "detach": "0.06 ms"}


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    if not match:
        raise UserError(f"the control console did not say {pattern!r} but:\n{text}")
    return int(match[1])


def switch(board: Board, line: str) -> tuple[int, int]:
    """Instructions of the change, and ns (one an instruction) that the core stood still."""
    text = command(board, line, 120)
    return number(r"changed in (\d+) ticks", text), number(r"stopped for (\d+) ns", text)


def run(ctx: Context) -> list[Row]:
    ways: dict[str, list[tuple[int, int]]] = {"attach": [], "detach": []}
    with ctx.board("self.yaml", icount=True) as board:
        await_monitor(board)
        for _ in range(ROUNDS):
            for line, seen in ways.items():
                seen.append(switch(board, line))
        text = command(board, "cost")
        native = number(r"native object (\d+) ticks", text)
        direct = number(r"direct (\d+)", text)
        command(board, "attach")
        virtual = number(r"virtual object (\d+) ticks", command(board, "cost"))
    how = "./amalgam run bench/self/self.yaml --icount: `attach`, `detach`, `cost` at the control console"
    rows = [Row(line, min(s[0] for s in seen), UNIT, PAPER[line], None, how) for line, seen in ways.items()]
    rows += [Row(f"{line}-stop", min(s[1] for s in seen), UNIT, None, None, how) for line, seen in ways.items()]
    rows.append(Row("object-native", round((native - direct) / OPERATIONS, 1), UNIT, None, None, how))
    rows.append(Row("object-virtual", round((virtual - direct) / OPERATIONS, 1), UNIT, None, None, how))
    return rows
