# SPDX-License-Identifier: MIT
"""Nanvix' benchmark noise: what reaches the core of a thread that computes, beside threads that call the master without end.

The emulator runs a hart until it waits or a timer is due, so it interrupts hardly a window, whatever rings meanwhile. What would in time
order is seen by the doorbells: the worker calls the master once between two windows, which may ring its hart once, for the answer. Any
other ring of its hart could have come in a window.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from amalgam.errors import UserError
from amalgam.measure.benches import Context
from amalgam.measure.clocks import Clocks

BEGIN, END, ALONE, ALONE_END = 1, 2, 3, 4  # marks of bench/nanvix/programs/nanvix/noise.c


def rings(found: Clocks) -> int:
    """Rings of the worker's hart from its first window to its last one beside the callers that are no answer to a call of its own."""
    begins = [i for i, mark in enumerate(found.marks) if mark.number == BEGIN]
    worker = found.marks[begins[0]].hart
    to_it = [e.marks for e in found.events if e.what == "ring" and e.other == worker]
    return sum(max(0, sum(a < at <= b for at in to_it) - 1) for a, b in pairwise(begins))


def window(found: Clocks, samples: int) -> int:
    """How many instructions more the longest window beside the callers has than the shortest one alone."""
    beside, alone = found.spans(BEGIN, END, samples), found.spans(ALONE, ALONE_END, samples)
    return max(span.own for span in beside) - min(span.own for span in alone)


def efficiency(found: Clocks, workers: int, samples: int) -> float:
    """What the longest window of all workers beside the callers is of the shortest alone: 1 if no caller is noticed."""
    beside, alone = found.spans(BEGIN, END, samples * workers), found.spans(ALONE, ALONE_END, samples * workers)
    return min(span.own for span in alone) / max(span.own for span in beside)


def stormed(found: Clocks, master: int, by: int) -> int:
    """Rings of the callers' master by a hart of another cluster between the worker's first and last window beside the callers."""
    begins = [i for i, mark in enumerate(found.marks) if mark.number == BEGIN]
    return sum(e.what == "ring" and (e.hart, e.other) == (by, master) and begins[0] < e.marks <= begins[-1] for e in found.events)


def busy(found: Clocks) -> int:
    """Harts but the worker's that met another one between its first and last window: without callers there is nothing to notice."""
    begins = [i for i, mark in enumerate(found.marks) if mark.number == BEGIN]
    worker = found.marks[begins[0]].hart
    return len({e.hart for e in found.events if e.hart != worker and begins[0] < e.marks <= begins[-1]})


def need_busy(found: Clocks, callers: int) -> None:
    if busy(found) < callers:
        raise UserError(f"{busy(found)} harts called beside the worker, not {callers}", "look at what the board said")


def efficiencies(ctx: Context, counted: Callable[..., tuple[Clocks, str]], threads: int, samples: int) -> dict[int, float]:
    """Fig. 7, by the number of threads that compute; the others of `threads` call the master."""
    text, found = (ctx.folder / "noise.yaml").read_text(encoding="utf-8"), {}
    for workers in range(1, threads + 1):
        name = f"noise-of-{workers}"
        ctx.file(f"{name}.yaml").write_text(text.replace('[noise, "13"]', f'[noise, "{threads - workers}", "{workers}"]'), encoding="utf-8")
        found[workers] = efficiency(counted(ctx, name, 64, events=True)[0], workers, samples)
    return found
