# SPDX-License-Identifier: MIT
"""A counted run of a system of clusters (amalgam.measure.clocks) as one timeline for Perfetto, and what its clusters sent each other.

The time axis is the plugin's view path, an instruction a nanosecond: each hart's own clock, set to the sender's where it takes a ring or a
word of another one. So what one hart does after another one's word lies behind it; what a hart waits for a timer does not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from amalgam.measure import clocks, lanes
from amalgam.measure.clocks import Clocks, Store
from amalgam.measure.lanes import A_US, Record
from amalgam.measure.parties import Message, Parties, Request
from amalgam.system.clusters.domains import LANE
from amalgam.system.clusters.model import RAM, ClusterSystem

# Of a lane's half (kernel/cluster/lane_half.h): its words, or a little slot; a mail; mails. A message begins with its number. That a page is
# there, or was taken, is said by words, and no message.
LINE, SLOT, SLOTS = 64, 192, 8
LITTLES = range(LINE + SLOTS * SLOT, LINE + SLOTS * SLOT + 2 * LINE, LINE)
HEAD, OF = 4, 8  # words of a message: its ports, and which process has sent it
ECHO, PUT = 4, 8  # words of its first line
SIGNALS = (28, 32, 36, 40)


def options(system: ClusterSystem, out: Path, memory: int) -> list[str]:
    """Words for QEMU: a store to the begin of any line of an outbox is told, to words that say what was signalled, whose a message is and
    for whom, and so is each word that a hart takes of another one. The board has so many bytes of memory."""
    end = system.noc + len(system.clusters) * system.outbox
    words = sorted({ECHO, PUT, *SIGNALS} - {HEAD, OF})
    stores = [*((system.noc + word, end, LINE) for word in (0, HEAD, OF)), *((system.noc + word, end, LANE) for word in words)]
    return clocks.options(out, [(system.noc, system.end)], events=True, stores=stores, sleeps=True, values=(RAM, memory))


@dataclass(frozen=True)
class Sent:
    """Something that a hart of a cluster put into its outbox: a `message` or `signal` for another one, or a line of `data` for portals, which
    is for no cluster in particular. Of a message `head` is its ports, and `of` which process has sent it."""

    what: str
    sender: int
    to: int
    store: Store
    head: int = 0
    of: int = 0


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
    The first signal of each life is a message. A message is sent when its place is said to be used, and has its words by then."""
    begins: set[tuple[int, int]] = set()
    words: dict[int, int] = {}
    waiting: dict[tuple[int, int], list[Sent]] = {}

    def whole(one: Sent) -> Sent:
        return replace(one, head=words.get(one.store.address + HEAD, 0), of=words.get(one.store.address + OF, 0))

    for store in found.stores:
        sender, at = divmod(store.address - system.noc, system.outbox)
        to, place = divmod(at, LANE)
        slot, rest = divmod(place - LINE, SLOT)
        if place % LINE in (HEAD, OF):
            words[store.address] = store.value
        if to == sender:  # who owns its ports
            continue
        if to >= len(system.clusters):
            if store.address % LINE == 0:
                yield Sent("data", sender, to, store)
        elif place == ECHO:
            begins.add((sender, to))
        elif place == PUT:
            begins.discard((sender, to))
            yield from map(whole, waiting.pop((sender, to), []))
        elif place in SIGNALS:
            if (sender, to) not in begins:
                yield Sent("signal", sender, to, store)
        elif (not rest and 0 <= slot < SLOTS) or place in LITTLES:
            waiting.setdefault((sender, to), []).append(Sent("message", sender, to, store))
    for left in waiting.values():
        yield from map(whole, left)


def messages(parties: Parties, all_sent: list[Sent]) -> list[Message]:
    """Those of programs, which are no signals: by their heads, of which the lowest byte is 0."""
    return [
        Message(parties.sender(one.sender, one.of), one.head >> 16 & 0xFF, one.to, one.head >> 8 & 0xFF, one.store.path)
        for one in all_sent
        if one.what == "message" and not one.head & 0xFF
    ]


def traffic(all_sent: list[Sent]) -> Traffic:
    made = Traffic()
    for one in all_sent:
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


def timeline(system: ClusterSystem, found: Clocks, parties: Parties, all_sent: list[Sent], asked: list[Request]) -> Record:
    """The Trace Event Format: a process for each cluster, a lane for each hart, and lanes of what its servers do and its programs ask.
    Arrows are rings between clusters, and requests."""
    place = {hart: (c.number, i) for c in system.clusters for i, hart in enumerate(c.own_harts)}
    out, spans = [*names(system, parties)], awake(found)
    for hart, own in spans.items():
        out += [at(place, hart, begin, ph="X", name="awake", dur=(end - begin) / A_US) for begin, end in own]
    out += [at(place, mark.hart, mark.path, ph="i", s="t", name=f"mark {mark.number}") for mark in found.marks]
    for one in all_sent:
        if one.what != "data":
            out.append(at(place, one.store.hart, one.store.path, ph="i", s="t", name=f"{one.what} to {system.clusters[one.to].name}"))
    out += arrows(place, found)
    out += lanes.bars(parties, asked, spans)
    return {"traceEvents": out, "displayTimeUnit": "ns"}


def at(place: dict[int, tuple[int, int]], hart: int, path: int, **more: object) -> Record:
    pid, tid = place[hart]
    return {"pid": pid, "tid": tid, "ts": path / A_US, **more}


def names(system: ClusterSystem, parties: Parties) -> Iterator[Record]:
    """A core that one program alone has is called after it."""
    on: dict[tuple[int, int], list[str]] = {}
    for party, domain in parties.domains.items():
        for core, _mark in domain.cores:
            on.setdefault((party.cluster, core), []).append(domain.name)
    for c in system.clusters:
        yield {"ph": "M", "pid": c.number, "name": "process_name", "args": {"name": c.name}}
        for i in range(c.harts):
            own = on.get((c.number, i), [])
            name = f"core {i}" + (f", {own[0]}" if len(own) == 1 else "") if i else "master"
            yield {"ph": "M", "pid": c.number, "tid": i, "name": "thread_name", "args": {"name": name}}


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
