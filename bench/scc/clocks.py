# SPDX-License-Identifier: MIT
"""The clocks of the critical path (docs/coherence.md) that rows are measured by: what a line that another core wrote costs its reader."""

from __future__ import annotations

from dataclasses import dataclass

from amalgam.scc import latencies


@dataclass(frozen=True)
class Clock:
    """`end` is that of the rows' names, `words` are the checker's, `what` is for a row's `how`."""

    end: str
    words: tuple[str, ...]
    what: str


FREE = Clock("", ("fill=0",), "a fill costs 0")
HUNDRED = Clock("-fill-100", ("fill=100",), "a fill costs 100")
MESH = Clock("-mesh", latencies.words(), "fills at the SCC's latencies")
QUARTERS = Clock("-mesh", latencies.words(quarters=True), "fills at the SCC's latencies, a quarter of the pages at each controller")
