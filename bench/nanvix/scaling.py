# SPDX-License-Identifier: MIT
"""Barriers of more clusters than a board has: a discrete-event model, calibrated by what 2 to 20 clusters took.

All clusters signal one, which then signals all (sync). In the model a cluster's master takes `each` for a signal that it gets or gives,
of that `look` for every cluster whose lane it looks at, and a way up or down costs `way` besides. The three are fitted to the measured
paths, which are `2 * way + 2 * (each + look * clusters) * (clusters - 1)` then. Two remedies: a tree, in which each cluster gathers at
most `fan` others, and lanes only between clusters that are neighbours in it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from amalgam.measure.replay import Replay, Server, Steps

MOST = 4096


@dataclass(frozen=True)
class Calibration:
    way: float
    each: float
    look: float

    def signal(self, lanes: int) -> float:
        return self.each + self.look * lanes

    def flat(self, clusters: int) -> float:
        return 2 * self.way + 2 * self.signal(clusters) * (clusters - 1)


def calibrate(paths: dict[int, float]) -> Calibration:
    """By least squares, from the measured paths by the number of clusters. Nothing takes less than no time: where looks would, they are
    beside the ways, and the paths are fitted without."""
    import numpy

    terms = numpy.array([[2, 2 * (c - 1), 2 * c * (c - 1)] for c in paths], dtype=float)
    taken = numpy.array(list(paths.values()), dtype=float)
    way, each, look = numpy.linalg.lstsq(terms, taken, rcond=None)[0]
    if look < 0:
        (way, each), look = numpy.linalg.lstsq(terms[:, :2], taken, rcond=None)[0], 0
    return Calibration(float(way), float(each), float(look))


def worst(paths: dict[int, float], found: Calibration) -> float:
    """How far the fitted ones are from a measured path at most, as a fraction of that."""
    return max(abs(found.flat(c) - p) / p for c, p in paths.items())


class Signals:
    """Of one cluster: how many of those that it waits for have come."""

    def __init__(self, model: Replay) -> None:
        self.model, self.come = model, 0
        self.waits: deque[Steps] = deque()

    def give(self) -> None:
        self.come += 1
        while self.waits:
            self.model.resume(self.waits.popleft())

    def take(self, wanted: int) -> Steps:
        while self.come < wanted:
            assert self.model.current
            self.waits.append(self.model.current)
            yield None


def barrier(clusters: int, fan: int, costs: Calibration, lanes: int = 0) -> int:
    """Ticks from when all arrive until the last one goes on. Cluster n gathers those from n * fan + 1 on, at most `fan`. `lanes`: those
    that a cluster has, of all clusters if it is 0."""
    model = Replay()
    masters = [Server(model) for _ in range(clusters)]
    gathered, released = ([Signals(model) for _ in range(clusters)] for _ in range(2))
    way, each = round(costs.way), round(costs.signal(lanes or clusters))

    def signal(to: int, signals: list[Signals]) -> Steps:
        """Carried on its way, then taken by the other master."""
        yield way
        yield from masters[to].serve(each if signals is gathered else 0)
        signals[to].give()

    def cluster(n: int) -> Steps:
        children = range(n * fan + 1, min((n + 1) * fan + 1, clusters))
        yield from gathered[n].take(len(children))
        if n:
            model.start(signal((n - 1) // fan, gathered), model.now)
            yield from released[n].take(1)
        for child in children:
            yield from masters[n].serve(each)
            model.start(signal(child, released), model.now)

    for n in range(clusters):
        model.start(cluster(n))
    return model.run()


def breaks_at(costs: Calibration, fan: int) -> int:
    """The number of clusters from which on a tree is faster than one that gathers all."""
    return next(n for n in range(2, MOST + 1) if barrier(n, fan, costs) < barrier(n, n, costs))
