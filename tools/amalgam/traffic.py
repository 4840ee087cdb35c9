# SPDX-License-Identifier: MIT
"""A counted run of a system of clusters (amalgam.clocks) as one timeline for Perfetto, and what its clusters sent each other.

The time axis is the plugin's view path, an instruction a nanosecond: each hart's own clock, set to the sender's where it takes a ring or a
word of another one. So what one hart does after another one's word lies behind it; what a hart waits for a timer does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amalgam import clocks
from amalgam.clocks import Clocks
from amalgam.system.clusters.domains import LANE
from amalgam.system.clusters.model import ClusterSystem

LINE, SLOT, SLOTS = 64, 192, 8  # of a lane's half: its words; a message, which begins with its number; messages (kernel/cluster/lane.h)
A_US = 1000  # instructions
Record = dict[str, Any]


def options(system: ClusterSystem, out: Path) -> list[str]:
    """Words for QEMU: a store to the begin of any line of an outbox is told, and so is each word that a hart takes of another one."""
    stores = (system.noc, system.noc + len(system.clusters) * system.outbox, LINE)
    return clocks.options(out, [(system.noc, system.end)], events=True, stores=stores, sleeps=True)


@dataclass
class Traffic:
    """Between clusters, by number."""

    messages: Counter[tuple[int, int]] = field(default_factory=Counter)  # from, to
    data: Counter[int] = field(default_factory=Counter)  # bytes put out for portals, in whole lines

    def matrix(self, count: int) -> list[list[int]]:
        """A row for each sender."""
        return [[self.messages[sender, to] for to in range(count)] for sender in range(count)]


def receiver(system: ClusterSystem, address: int) -> tuple[int, int | None] | None:
    """Whose outbox a stored line is of, and for whom: None for portals' data. Nothing when it is neither a message's first nor data."""
    sender, at = divmod(address - system.noc, system.outbox)
    to, place = divmod(at, LANE)
    if to >= len(system.clusters):
        return sender, None
    slot, rest = divmod(place - LINE, SLOT)
    return (sender, to) if not rest and 0 <= slot < SLOTS else None


def traffic(system: ClusterSystem, found: Clocks) -> Traffic:
    """What was sent; of a hostile cluster, what looks like it."""
    made = Traffic()
    for store in found.stores:
        match receiver(system, store.address):
            case (sender, None):
                made.data[sender] += LINE
            case (sender, int(to)):
                made.messages[sender, to] += 1
    return made


def awake(found: Clocks) -> dict[int, list[tuple[int, int]]]:
    """For each hart from when to when it executed, by its path; a sleep that took no time is none."""
    spans: dict[int, list[tuple[int, int]]] = {hart: [] for hart in found.harts}
    begun, slept = dict.fromkeys(found.harts, 0), dict.fromkeys(found.harts, -1)
    for event in found.events:
        if event.what == "sleep":
            slept[event.hart] = event.path
        elif event.what == "wake":
            if event.path > slept[event.hart]:
                spans[event.hart].append((begun[event.hart], slept[event.hart]))
                begun[event.hart] = event.path
            slept[event.hart] = -1
    for hart, (_, last) in found.harts.items():
        spans[hart].append((begun[hart], last if slept[hart] < 0 else slept[hart]))
    return spans


def timeline(system: ClusterSystem, found: Clocks) -> Record:
    """The Trace Event Format: a process for each cluster, a lane for each hart. Arrows are rings between clusters."""
    place = {hart: (c.number, i) for c in system.clusters for i, hart in enumerate(c.own_harts)}
    out = [*names(system)]
    for hart, spans in awake(found).items():
        out += [at(place, hart, begin, ph="X", name="awake", dur=(end - begin) / A_US) for begin, end in spans]
    out += [at(place, mark.hart, mark.path, ph="i", s="t", name=f"mark {mark.number}") for mark in found.marks]
    for store in found.stores:
        match receiver(system, store.address):
            case (_, int(to)):
                out.append(at(place, store.hart, store.path, ph="i", s="t", name=f"message to {system.clusters[to].name}"))
    out += arrows(place, found)
    return {"traceEvents": out, "displayTimeUnit": "ns"}


def at(place: dict[int, tuple[int, int]], hart: int, path: int, **more: object) -> Record:
    pid, tid = place[hart]
    return {"pid": pid, "tid": tid, "ts": path / A_US, **more}


def names(system: ClusterSystem) -> Iterator[Record]:
    for c in system.clusters:
        yield {"ph": "M", "pid": c.number, "name": "process_name", "args": {"name": c.name}}
        for i in range(c.harts):
            yield {"ph": "M", "pid": c.number, "tid": i, "name": "thread_name", "args": {"name": f"core {i}" if i else "master"}}


def arrows(place: dict[int, tuple[int, int]], found: Clocks) -> Iterator[Record]:
    """From the latest ring to where it was taken."""
    rung: dict[tuple[int, int], int] = {}
    number = 0
    for event in found.events:
        if event.what == "ring":
            rung[event.hart, event.other] = event.path
        elif event.what == "take" and place[event.hart][0] != place[event.other][0] and (event.other, event.hart) in rung:
            begin = rung.pop((event.other, event.hart))
            number += 1
            yield at(place, event.other, begin, ph="s", id=number, cat="ring", name="ring")
            yield at(place, event.hart, max(begin, event.path), ph="f", bp="e", id=number, cat="ring", name="ring")


def draw(system: ClusterSystem, made: Traffic, target: Path) -> None:
    """The messages as a picture: from the row's cluster to the column's."""
    from amalgam.drawing import pyplot

    plt = pyplot()
    labels, matrix = [c.name for c in system.clusters], made.matrix(len(system.clusters))
    size = 2 + 0.55 * len(labels)
    figure, axes = plt.subplots(figsize=(size + 1, size))
    axes.set(title=f"Messages between the clusters of {system.name}", xlabel="to", ylabel="from")
    image = axes.imshow(matrix, cmap="viridis")
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    brightest = max(map(max, matrix))
    for sender, row in enumerate(matrix):
        for to, count in enumerate(row):
            colour = "white" if count < brightest / 2 else "black"
            axes.text(to, sender, str(count), ha="center", va="center", color=colour, fontsize=8)
    figure.colorbar(image)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
