# SPDX-License-Identifier: MIT
"""Turn the kernel's trace lines (`T cpu ticks event a b`) into a timeline for Perfetto or chrome://tracing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

LINE = re.compile(r"^T (\d+) (\d+) ([\w-]+) ([0-9a-f]+) ([0-9a-f]+)$", re.MULTILINE)
NOBODY = {0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF}


@dataclass(frozen=True)
class Event:
    cpu: int
    ticks: int
    name: str
    a: int
    b: int


def parse(text: str) -> list[Event]:
    """All trace lines of a dump, in the order of time."""
    found = [Event(int(m[1]), int(m[2]), m[3], int(m[4], 16), int(m[5], 16)) for m in LINE.finditer(text.replace("\r", ""))]
    return sorted(found, key=lambda e: (e.ticks, e.cpu))


def thread_label(event: Event, domains: list[str]) -> str:
    """Who runs after a switch."""
    who = domains[event.b] if event.b < len(domains) else "kernel"
    return f"{who} {event.a & 0xFFFFFF:06x}"


def timeline(events: list[Event], domains: list[str], ticks_per_us: float) -> dict[str, object]:
    """The Trace Event Format: per core a lane of threads, a lane of windows, and instants for the rest."""
    if not events:
        return {"traceEvents": [], "displayTimeUnit": "ns"}
    origin, last = events[0].ticks, events[-1].ticks
    out: list[dict[str, object]] = []
    for cpu in sorted({e.cpu for e in events}):
        out.append({"ph": "M", "pid": cpu, "name": "process_name", "args": {"name": f"core {cpu}"}})
        for tid, lane in enumerate(("threads", "windows", "events")):
            out.append({"ph": "M", "pid": cpu, "tid": tid, "name": "thread_name", "args": {"name": lane}})
        mine = [e for e in events if e.cpu == cpu]
        for tid, kind in ((0, "switch"), (1, "window")):
            edges = [e for e in mine if e.name == kind]
            for edge, following in zip_longest(edges, edges[1:]):
                until = following.ticks if following else last
                name = thread_label(edge, domains) if kind == "switch" else f"group {edge.a}" if edge.a else "shared"
                out.append(
                    {
                        "ph": "X",
                        "pid": cpu,
                        "tid": tid,
                        "name": name,
                        "ts": (edge.ticks - origin) / ticks_per_us,
                        "dur": (until - edge.ticks) / ticks_per_us,
                        "args": {"late": edge.b} if kind == "window" else {},
                    }
                )
        for event in mine:
            if event.name not in ("switch", "window"):
                out.append(
                    {
                        "ph": "i",
                        "s": "t",
                        "pid": cpu,
                        "tid": 2,
                        "name": event.name,
                        "ts": (event.ticks - origin) / ticks_per_us,
                        "args": {"a": hex(event.a), "b": hex(event.b)},
                    }
                )
    return {"traceEvents": out, "displayTimeUnit": "ns"}
