# SPDX-License-Identifier: MIT
"""From the exception vectors down: a bound for every routine that can run while a guest waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from amalgam.wcet.flow import Graph, Unbounded, graph
from amalgam.wcet.image import Image
from amalgam.wcet.ipet import Bound, Others, longest

VECTOR = re.compile(r"^vector_[0-9a-f]{4}$")  # the labels of the exception vectors


@dataclass
class Routine:
    name: str
    entry: int
    bound: Bound | None  # None: it has none, `why` says so
    why: str = ""
    vector: bool = False


class Analysis:
    """All routines of an image in one cost model."""

    def __init__(self, image: Image, cost: Callable[[int], int], others: Others | None = None) -> None:
        self.image, self.cost, self.others = image, cost, others or Others()
        self.graphs: dict[int, Graph] = {}
        self.bounds: dict[int, Bound | Unbounded] = {}
        self.active: list[int] = []

    def bound(self, entry: int) -> Bound:
        """The bound of the routine at `entry`; Unbounded with the reason."""
        if entry not in self.bounds:
            if entry in self.active:
                raise Unbounded(f"{self.image.name(entry)}: it calls itself")
            self.active.append(entry)
            try:
                self.graphs[entry] = graph(self.image, entry)
                self.bounds[entry] = longest(self.image, self.graphs[entry], self.cost, self.dearest, self.others)
            except Unbounded as error:
                self.bounds[entry] = error
            finally:
                self.active.pop()
        found = self.bounds[entry]
        if isinstance(found, Unbounded):
            raise found
        return found

    def dearest(self, entries: tuple[int, ...]) -> Bound:
        return max((self.bound(entry) for entry in entries), key=lambda bound: bound.cost)

    def routines(self) -> list[Routine]:
        """Every exception vector and everything that they reach, in the order of the image."""
        roots = [address for name, address in self.image.symbols.items() if VECTOR.match(name)]
        seen: set[int] = set()
        todo = list(roots)
        found = []
        while todo:
            entry = todo.pop()
            if entry in seen:
                continue
            seen.add(entry)
            try:
                bound, why = self.bound(entry), ""
            except Unbounded as error:
                bound, why = None, str(error)
            found.append(Routine(self.image.name(entry), entry, bound, why, entry in roots))
            if entry in self.graphs:
                todo += [t for b in self.graphs[entry].blocks.values() for call in b.calls for t in call]
        return sorted(found, key=lambda routine: routine.entry)
