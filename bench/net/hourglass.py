# SPDX-License-Identifier: MIT
"""The paper's Fig. 3b: how long neither of two tasks runs at a switch between them, while a card is flooded and a driver and a stack of another
priority take its frames."""

from __future__ import annotations

from amalgam.board.board import Board
from amalgam.board.cards import WIRE
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.counted import figures, run_guest

WRITTEN = "priority: 12"  # of driver and stack, in hourglass.yaml
QUESTIONS = 2000
UNIT = "instructions"
PAPER = {"hourglass-above-min": "2,100 cycles", "hourglass-above-most": "about 5,000 cycles (second level)"}


def beside_a_flood(ctx: Context, where: str, priority: int) -> tuple[list[int], list[Row]]:
    """The gaps, in their order, and what they come to. `priority`: of driver and stack; the tasks have 8."""
    text = (ctx.folder / "hourglass.yaml").read_text(encoding="utf-8")
    system = ctx.file(f"hourglass-{where}.yaml")
    system.write_text(text.replace(WRITTEN, f"priority: {priority}"), encoding="utf-8")
    answered = []

    def ask(board: Board) -> None:
        board["pour"].expect("pour: done", 60)
        answered.append(figures(board["pour"].text)["answered"].mid)

    run = run_guest(ctx, str(system), "bench context-switch yield-max", "bench", 120, ask=ask, network=WIRE)
    figure = module("context-switch")
    gaps = figure.enough(figure.native_gaps(run.text, "hourglass"), "hourglass")
    what = f"{run.how}: driver and stack have priority {priority}, the tasks 8; {len(gaps):,} gaps"
    found = {"min": min(gaps), "median": figure.middle(gaps), "most": max(gaps)}
    rows = [
        Row(f"hourglass-{where}-{name}", value, UNIT, PAPER.get(f"hourglass-{where}-{name}"), None, what) for name, value in found.items()
    ]
    return gaps, [*rows, Row(f"answered-{where}", answered[0], "frames", how=f"{what}; answers to {QUESTIONS:,} questions, 137 us apart")]


def flooded(ctx: Context, priorities: dict[str, int]) -> list[Row]:
    """All of them, drawn one above the other."""
    series, rows = [], []
    for where, priority in priorities.items():
        gaps, own = beside_a_flood(ctx, where, priority)
        series.append((f"driver and stack of priority {priority}, {where} the tasks' (8)", gaps))
        rows += own
    module("context-switch").plot(series, ctx.file("hourglass.png"))
    return rows
