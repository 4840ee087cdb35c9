# SPDX-License-Identifier: MIT
"""Nanvix' benchmark kcall-remote with one caller and with many at once: what a call takes all harts, its caller, and the master."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from amalgam.errors import UserError
from amalgam.measure.clocks import Clocks, Mark
from amalgam.measure.replay import Replay, Server, Steps

BEGIN, END = 1, 2  # marks of bench/nanvix/programs/nanvix/kcall.c around a window of remote calls
WINDOWS = 40  # of each thread


@dataclass(frozen=True)
class Cost:
    """Instructions of one call."""

    all: float
    caller: float
    master: float


def cost(marks: list[Mark], calls: int) -> Cost:
    """Of threads that all called between their first and last mark, `calls` in each window. What they executed between their windows is
    taken off; no other hart but the master's runs meanwhile."""
    first: dict[int, Mark] = {}
    last: dict[int, Mark] = {}
    inside: dict[int, int] = defaultdict(int)
    for mark in marks:
        if mark.number == END:
            inside[mark.hart] += mark.own - last[mark.hart].own
        first.setdefault(mark.hart, mark)
        last[mark.hart] = mark
    n = len(marks) // 2 * calls
    own = sum(last[hart].own - first[hart].own for hart in first)
    every = max(mark.all for mark in last.values()) - min(mark.all for mark in first.values())
    return Cost((every - own + sum(inside.values())) / n, sum(inside.values()) / n, (every - own) / n)


def costs(found: Clocks, most: int, calls: int) -> dict[int, Cost]:
    """By the number of callers, which the program has from 1 to `most`, one after the other."""
    marks = [mark for mark in found.marks if mark.number in (BEGIN, END)]
    by, at = {}, 0
    for n in range(1, most + 1):
        part = marks[at : at + 2 * WINDOWS * n]
        if len({mark.hart for mark in part}) != n or len(part) != 2 * WINDOWS * n:
            raise UserError(f"{n} callers were not on {n} harts", "look at what the board said")
        by[n] = cost(part, calls)
        at += len(part)
    return by


def ahead_of(callers: int, thinks: int, served: int, calls: int = 1000) -> int:
    """Services that a worker's remote call waits for at most, beside so many callers that call without end. The worker comes at another
    moment of their round each time."""
    model = Replay()
    master = Server(model)
    ahead: list[int] = []
    ends = calls * (callers * served + thinks)

    def caller() -> Steps:
        while model.now < ends:
            yield thinks
            yield from master.serve(served)

    def worker() -> Steps:
        for n in range(calls):
            yield thinks + n % (callers * served + 1)
            serves = master.serve(served)
            yield next(serves)  # it stands in the queue now
            ahead.append(master.ahead[-1])

    for _ in range(callers):
        model.start(caller())
    model.start(worker())
    model.run()
    return max(ahead)
