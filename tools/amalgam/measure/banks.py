# SPDX-License-Identifier: MIT
"""What harts wait for each other at the banks of a memory that they share: misses of their caches, put into the order of time.

A counted run (caches.py) tells each miss with the instructions that its hart had executed. `stretches` cuts them at the hart's marks, and
`Banks` lets harts of replay.py go through a stretch: an instruction a tick, and for each miss a wait for the bank that has the line, which
serves first come, first served. A store takes no time of its own, and no line is written back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from amalgam.measure import marks
from amalgam.measure.caches import Caches, Mark, Miss
from amalgam.measure.replay import Replay, Server, Steps


@dataclass(frozen=True)
class Shape:
    """Of a memory: banks, bytes of one before the next one's follow, ticks that a bank is busy with a line of instructions and of data, and
    ticks from a miss until its hart goes on where nobody is ahead."""

    banks: int = 16
    stripe: int = 64
    busy_i: int = 8
    busy_d: int = 4
    penalty: int = 10


@dataclass(frozen=True)
class Stretch:
    """What a hart did from one mark to its next one, at most to the end of a window."""

    begin: int  # the mark
    own: int
    misses: tuple[tuple[int, Miss], ...]  # each with the instructions of the stretch before it


def of_harts(misses: Sequence[Miss]) -> dict[int, list[Miss]]:
    """Each hart's in the order in which it missed."""
    found: dict[int, list[Miss]] = defaultdict(list)
    for miss in misses:
        found[miss.hart].append(miss)
    return found


def cut(misses: Sequence[Miss], first: int, last: int) -> tuple[tuple[int, Miss], ...]:
    """Those of one hart from one count of its instructions to another."""
    low, high = (bisect_left(misses, own, key=lambda miss: miss.own) for own in (first, last))
    return tuple((miss.own - first, miss) for miss in misses[low:high])


def stretches(found: Caches, begins: range, end: int) -> list[list[Stretch]]:
    """The windows from a mark in `begins` to the mark `end` of the same hart, in the order of their ends, cut at all marks between."""
    by_hart = of_harts(found.misses)

    def stretch(first: Mark, last: Mark) -> Stretch:
        own, until = first.own.own, last.own.own
        return Stretch(first.number, until - own, cut(by_hart[first.hart], own, until))

    return [[stretch(*ends) for ends in pairwise(of)] for of in marks.windows(found.marks, begins, end)]


class Banks:
    """The banks of one memory in a model."""

    def __init__(self, model: Replay, shape: Shape) -> None:
        self.model, self.shape = model, shape
        self.servers = [Server(model) for _ in range(shape.banks)]
        self.waited = 0  # ticks of all harts for those ahead of them

    def fetch(self, miss: Miss) -> Steps:
        """A line: the hart waits for its bank, then what a miss takes."""
        busy = self.shape.busy_d if miss.data else self.shape.busy_i
        serves = self.servers[miss.address // self.shape.stripe % self.shape.banks].serve(busy)
        ticks = next(serves)
        assert ticks is not None
        self.waited += ticks - busy
        yield ticks - busy + self.shape.penalty

    def go(self, stretch: Stretch) -> Steps:
        """A hart goes through a stretch."""
        at = 0
        for own, miss in stretch.misses:
            if own > at:
                yield own - at
            at = own
            yield from self.fetch(miss)
        yield stretch.own - at
