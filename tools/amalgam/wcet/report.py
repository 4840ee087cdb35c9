# SPDX-License-Identifier: MIT
"""The rows of `amalgam wcet`: routines by name, the paper's figure and what was measured beside each bound."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError, nearest
from amalgam.wcet.analyse import Analysis
from amalgam.wcet.image import Image
from amalgam.wcet.ipet import Others

# Paper, tables and section 3.3, in cycles at one cycle an instruction; 4 cores.
PAPER = {
    "vm_save": 135,
    "schedule": 681,
    "vm_resume": 240,
    "mutex_start": 169,
    "mutex_stop": 11,
}
MEASURED = paths.BUILD / "bench" / "proteus" / "measured.json"  # routine -> largest count; written by bench proteus


def measured(path: Path = MEASURED) -> dict[str, int]:
    """What the bench has seen; empty before its first run."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def waiting(image: Image, cost: Callable[[int], int], cores: int) -> Others:
    """What the lock costs when all others want it: the bakery serves each of them once before us, and each one holds it for no longer
    than an exchange with the ready structure takes, and then passes its own look at the others."""
    others = Others(cores)
    if cores > 1 and all(name in image.symbols for name in ("mutex_start", "pool_exchange")):
        start, exchange = (Analysis(image, cost, Others(cores)).bound(image.symbols[name]).cost for name in ("mutex_start", "pool_exchange"))
        others.turn = exchange
        others.wait = start + (cores - 1) * others.turn
    return others


def rows(image: Image, cost: Callable[[int], int], cores: int, seen: Path = MEASURED) -> tuple[list[dict[str, object]], Analysis]:
    """A row a routine; `seen`: the file of measured counts. The cost of a wait for the lock is the worst case of the others; it is in the bounds."""
    analysis = Analysis(image, cost, waiting(image, cost, cores))
    counts = measured(seen)
    made: list[dict[str, object]] = [
        {
            "metric": routine.name,
            "value": routine.bound.cost if routine.bound else None,
            "waits": routine.bound.waits if routine.bound else None,
            "paper": PAPER.get(routine.name),
            "measured": counts.get(routine.name),
            "why": routine.why,
        }
        for routine in analysis.routines()
    ]
    if not made:
        raise UserError("the image has no exception vectors", "vectors are labelled vector_0700 and so on")
    made.append(
        {
            "metric": "lock-wait",
            "value": analysis.others.wait,
            "waits": 0,
            "paper": 1797 if cores == 4 else None,
            "measured": counts.get("lock-wait"),
            "why": "",
        }
    )
    return made, analysis


def explained(analysis: Analysis, name: str) -> list[list[object]]:
    """The blocks on the longest path of a routine."""
    if name not in analysis.image.symbols:
        raise UserError(f"the kernel has no routine '{name}'{nearest(name, list(analysis.image.symbols))}", "./amalgam wcet lists them")
    entry = analysis.image.symbols[name]
    bound = analysis.bound(entry)
    blocks = analysis.graphs[entry].blocks
    return [
        [
            analysis.image.name(start),
            count,
            len(blocks[start].words),
            sum(analysis.cost(analysis.image.words[a]) for a in blocks[start].words)
            + sum(analysis.dearest(where).cost for where in blocks[start].calls),
        ]
        for start, count in sorted(bound.counts.items())
        if count
    ]
