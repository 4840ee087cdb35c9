# SPDX-License-Identifier: MIT
"""Rows of the timeline (amalgam.measure.traffic) for requests: what each server works on, what each client waits for, and an arrow from one
to the other. A request is a bar of its client from its first message to the answer; its server's begins when a core of that is awake."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import Any

from amalgam.measure.parties import Parties, Party, Request

A_US = 1000  # instructions
FIRST = 1000  # the lanes of a cluster's programs, behind those of its cores
EACH = 16  # of a program: that many may overlap
Record = dict[str, Any]
Spans = list[tuple[int, int]]


def awake_from(spans: Spans, moment: int) -> int:
    """The first moment from this one on at which something is awake; the moment itself if nothing is any more. The spans are in order."""
    at = bisect_left(spans, moment, key=lambda span: span[1])
    return max(moment, spans[at][0]) if at < len(spans) else moment


def cores(parties: Parties, server: Party, awake: dict[int, Spans]) -> Spans:
    """When any core of a server executed, in order; spans of two cores that overlap are one."""
    cluster = parties.clusters[server.cluster]
    harts = [cluster.own_harts[core] for core, _mark in parties.domains[server].cores]
    made: Spans = []
    for begin, end in sorted(span for hart in harts for span in awake.get(hart, [])):
        if made and begin <= made[-1][1]:
            last = made.pop()
            begin, end = last[0], max(last[1], end)
        made.append((begin, end))
    return made


def lane(party: Party, at: int) -> int:
    """The number of a program's lane, of its cluster's."""
    return FIRST + EACH * (party.domain + 1) + at


class Lanes:
    """Bars of a program that overlap lie in lanes beside each other."""

    def __init__(self) -> None:
        self.ends: defaultdict[Party, list[int]] = defaultdict(list)

    def place(self, party: Party, begin: int, end: int) -> int:
        ends = self.ends[party]
        at = next((i for i, last in enumerate(ends) if last <= begin), min(len(ends), EACH - 1))
        ends[at:] = [end, *ends[at + 1 :]]
        return lane(party, at)


def bars(parties: Parties, found: list[Request], awake: dict[int, Spans]) -> list[Record]:
    """Of requests that were answered, with the names of their lanes."""
    lanes, out = Lanes(), []
    working = {server: cores(parties, server, awake) for server in parties.servers}
    done: dict[Party, int] = {}
    single = {server for server in parties.servers if parties.domains[server].threads == 1}
    for number, r in enumerate(sorted((r for r in found if r.end is not None), key=lambda r: r.end or 0)):
        assert r.end is not None
        taken = min(r.end, awake_from(working[r.server], max(r.begin, done.get(r.server, 0)) if r.server in single else r.begin))
        done[r.server] = r.end
        client, server = parties.label(r.client), parties.label(r.server)
        for party, begin, name, end_of_arrow in ((r.client, r.begin, f"asks {server}", "s"), (r.server, taken, f"for {client}", "f")):
            where = {"pid": party.cluster, "tid": lanes.place(party, begin, r.end), "ts": begin / A_US}
            out.append(where | {"ph": "X", "name": name, "cat": "request", "dur": (r.end - begin) / A_US, "args": {"messages": r.messages}})
            out.append(where | {"ph": end_of_arrow, "bp": "e", "id": number, "cat": "request", "name": "request"})
    return [*out, *named(parties, lanes)]


def named(parties: Parties, lanes: Lanes) -> list[Record]:
    out: list[Record] = []
    for party, ends in lanes.ends.items():
        for at in range(len(ends)):
            what = {"pid": party.cluster, "tid": lane(party, at), "ph": "M"}
            own = parties.label(party).rpartition(": ")[2] if party in parties.domains else "not known who"
            name = f"{own}, {'server' if party in parties.servers else 'asks'}" + (f" ({at + 1})" if at else "")
            out.append(what | {"name": "thread_name", "args": {"name": name}})
            out.append(what | {"name": "thread_sort_index", "args": {"sort_index": what["tid"]}})
    return out
