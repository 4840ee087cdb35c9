# SPDX-License-Identifier: MIT
"""What the kernels of an SCC cost: a switch of threads in software and by the processor's tasks, a message there and back, a page fault
of shared virtual memory."""

from __future__ import annotations

import re

from amalgam.benches import Context, Row
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.errors import UserError

GAPS = 2000
ROUNDS = 100
FARTHEST = 47
FAULTS = 32
UNIT = "instructions"
PAPER = "2,100 cycles; sccLinux 6,400"
SWITCHES = {"software": "", "hardware": "; the jump to a task counts as one, 85 clocks and more on a Pentium"}


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
        with ctx.board(f"{way}.yaml", icount=True) as board:
            board["bench"].expect(r"bench context-switch yield-max \d+", 120)
            how = f"./amalgam run bench/scc/{way}.yaml --icount: least of {GAPS} gaps{note}"
            rows.append(Row(f"switch-{way}", least_gap(board, "hourglass"), UNIT, PAPER, None, how))
            name = "yield" if way == "software" else "yield-hardware"
            rows.append(Row(name, least_gap(board, "yield"), UNIT, None, None, how))
    return rows


def messages(ctx: Context) -> list[Row]:
    """Of 28 bytes from core 0 to the farthest core and back, with 48 kernels."""
    with ctx.board("scc", icount=True) as board:
        board.kernel.expect("kernels are up", 120)
        text = command(board, f"mail {FARTHEST} {ROUNDS}", 60)
    line = rf"mail to core {FARTHEST} and back, {ROUNDS} times by {{}}: at least (\d+) ticks"
    how = f"./amalgam run scc --icount: `mail {FARTHEST} {ROUNDS}` at the control console; all cores, there and back, the least"
    ways = {"poll": "polling", "irq": "interrupt", "adaptive": "either"}
    return [Row(f"mailbox-{row}-round", number(line.format(word), text), UNIT, None, None, how) for row, word in ways.items()]


def faults(ctx: Context) -> list[Row]:
    """Of one access: the first one to a lazy page, to a strong page that another core owns, and to one that the other core has written."""
    with ctx.board("svm.yaml", icount=True) as board:
        board.kernel.expect(r"^core 1: .*domain bench: done", 120)
        text = board["bench"].text + board.kernel.text
    how = "./amalgam run bench/scc/svm.yaml --icount: the most of {} accesses; both cores one after the other, all others asleep"
    rows = []
    for name, samples in (("fault-strong", FAULTS), ("fault-lazy", FAULTS), ("migrate", FAULTS - 1)):
        found = [int(word) for word in re.findall(rf"bench svm {name}: {samples} times, least \d+, median \d+, most (\d+)", text)]
        if len(found) != 1 + (name == "migrate"):
            raise UserError(f"the board did not say what {name} takes", "see the logs in build/bench/scc/logs/")
        rows.append(Row(f"svm-{name}", max(found), UNIT, None, None, how.format(samples)))
    return rows


def run(ctx: Context) -> list[Row]:
    return [*switches(ctx), *messages(ctx), *faults(ctx)]
