# SPDX-License-Identifier: MIT
"""What a remote call's cache policy costs (kernel/cluster/policy.h), in instructions and in lines of caches.

The lines are those of the coherence checker's model (docs/coherence.md): of each core's data, as many as it has touched. It knows nothing
of instruction fetches and page walks, and its whole-cache operations take one instruction."""

from __future__ import annotations

import statistics
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure import coherence
from amalgam.measure.benches import Context, module
from amalgam.system.compile import checked

OPERATIONS = {"call": (7, 1), "work": (9, 1), "mailbox": (3, 2), "portal-page": (5, 1)}
"""The mark that begins a window of remote.c, and how many of what is counted one turn of its loop has: a message is half of there and back."""


def with_kernel(source: Path, made: Path, shape: str) -> Path:
    """The system with another kernel."""
    made.write_text(source.read_text(encoding="utf-8").replace("kernel: shape:cluster\n", f"kernel: shape:{shape}\n"), encoding="utf-8")
    return made


def lines(ctx: Context, policy: str, samples: int, batch: int) -> dict[str, tuple[float, float, float]]:
    """By operation: lines filled, written back, and taken from another core by all cores, the median of the last windows' shares."""
    shape = "cluster" if policy == "nothing" else f"cluster-{policy}"
    path = with_kernel(ctx.folder / "policy.yaml", ctx.file(f"policy-{policy}.yaml"), shape)
    out = ctx.file(f"policy-{policy}.coherence")
    placed = checked(path, True, ctx.progress)
    ctx.progress(f"{path.stem}: lines")
    module("nanvix", "runs").to_end(ctx, path, coherence.options(out, f"nc={placed.noc:x}:{placed.end:x}"))
    marks = coherence.read(out).marks
    found = {}
    for name, (mark, parts) in OPERATIONS.items():
        begins, ends = ([m for m in marks if m.number == mark + i][-samples:] for i in range(2))
        if len(begins) < samples or len(ends) < samples:
            raise UserError(f"{name}: {len(ends)} windows, {samples} were wanted", "look at what the board said")
        each = [(e.filled - b.filled, e.cleaned - b.cleaned, e.taken - b.taken) for b, e in zip(begins, ends, strict=True)]
        filled, cleaned, taken = (statistics.median(window[i] for window in each) / (batch * parts) for i in range(3))
        found[name] = filled, cleaned, taken
    return found
