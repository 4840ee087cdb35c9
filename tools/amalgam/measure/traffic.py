# SPDX-License-Identifier: MIT
"""A counted run of a system of clusters (amalgam.measure.clocks) as one timeline for Perfetto, and what its clusters sent each other.

The time axis is the plugin's view path, an instruction a nanosecond: each hart's own clock, set to the sender's where it takes a ring or a
word of another one. So what one hart does after another one's word lies behind it; what a hart waits for a timer does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amalgam.measure import clocks
from amalgam.measure.clocks import Clocks, Store
from amalgam.system.clusters.domains import LANE
from amalgam.system.clusters.model import ClusterSystem

# Of a lane's half (kernel/cluster/lane_half.h): its words, or a little slot; a mail; mails. A message begins with its number. That a page is
# there, or was taken, is said by words, and no message.
LINE, SLOT, SLOTS = 64, 192, 8
LITTLES = range(LINE + SLOTS * SLOT, LINE + SLOTS * SLOT + 2 * LINE, LINE)
ECHO, PUT = 4, 8  # words of its first line
SIGNALS = (28, 32, 36, 40)
A_US = 1000  # instructions
Record = dict[str, Any]


def options(system: ClusterSystem, out: Path) -> list[str]:
    """Words for QEMU: a store to the begin of any line of an outbox is told, to words that say what was signalled, and so is each word that
    a hart takes of another one."""
    end = system.noc + len(system.clusters) * system.outbox
    stores = [(system.noc, end, LINE), *((system.noc + word, end, LANE) for word in (ECHO, PUT, *SIGNALS))]
    return clocks.options(out, [(system.noc, system.end)], events=True, stores=stores, sleeps=True)


@dataclass(frozen=True)
class Sent:
    """Something that a hart of a cluster put into its outbox: a `message` or `signal` for another one, or a line of `data` for portals, which
    is for no cluster in particular."""

    what: str
    sender: int
    to: int
    store: Store


@dataclass
class Traffic:
    """Between clusters, by number."""

    messages: Counter[tuple[int, int]] = field(default_factory=Counter)  # from, to
    signals: Counter[tuple[int, int]] = field(default_factory=Counter)  # those that were words
    data: Counter[int] = field(default_factory=Counter)  # bytes put out for portals, in whole lines


def matrix(counted: Counter[tuple[int, int]], count: int) -> list[list[int]]:
    """A row for each sender."""
    return [[counted[sender, to] for to in range(count)] for sender in range(count)]


def sent(system: ClusterSystem, found: Clocks) -> Iterator[Sent]:
    """What was sent, in the order of execution; of a hostile cluster, what looks like it.

    An end of a lane that begins anew clears its counts of signals: after it has stored its echo, and before it stores which places it uses.
    The first signal of each life is a message."""
    begins: set[tuple[int, int]] = set()
    for store in found.stores:
        sender, at = divmod(store.address - system.noc, system.outbox)
        to, place = divmod(at, LANE)
        slot, rest = divmod(place - LINE, SLOT)
        if to == sender:  # who owns its ports
            continue
        if to >= len(system.clusters):
            if store.address % LINE == 0:
                yield Sent("data", sender, to, store)
        elif place == ECHO:
            begins.add((sender, to))
        elif place == PUT:
            begins.discard((sender, to))
        elif place in SIGNALS:
            if (sender, to) not in begins:
                yield Sent("signal", sender, to, store)
        elif (not rest and 0 <= slot < SLOTS) or place in LITTLES:
            yield Sent("message", sender, to, store)


def traffic(system: ClusterSystem, found: Clocks) -> Traffic:
    made = Traffic()
    for one in sent(system, found):
        if one.what == "data":
            made.data[one.sender] += LINE
        else:
            (made.messages if one.what == "message" else made.signals)[one.sender, one.to] += 1
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
    for one in sent(system, found):
        if one.what != "data":
            out.append(at(place, one.store.hart, one.store.path, ph="i", s="t", name=f"{one.what} to {system.clusters[one.to].name}"))
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
    """The messages as a picture, from the row's cluster to the column's; signals stand below them."""
    from amalgam.measure.drawing import pyplot

    plt = pyplot()
    labels = [c.name for c in system.clusters]
    messages, signals = matrix(made.messages, len(labels)), matrix(made.signals, len(labels))
    size = 2 + 0.55 * len(labels)
    figure, axes = plt.subplots(figsize=(size + 1, size))
    axes.set(title=f"Messages (+ signals) between the clusters of {system.name}", xlabel="to", ylabel="from")
    image = axes.imshow(messages, cmap="viridis")
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    brightest = max(map(max, messages))
    for sender, row in enumerate(messages):
        for to, count in enumerate(row):
            colour = "white" if count < brightest / 2 else "black"
            text = f"{count}\n+{signals[sender][to]}" if signals[sender][to] else str(count)
            axes.text(to, sender, text, ha="center", va="center", color=colour, fontsize=8)
    figure.colorbar(image)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
