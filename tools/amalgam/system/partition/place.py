# SPDX-License-Identifier: MIT
"""Where in the board's memory each domain and channel lies."""

from __future__ import annotations

from amalgam.system.partition import model
from amalgam.system.partition.model import PartitionSystem, page_fitting


def place(system: PartitionSystem) -> None:
    """Largest first, each aligned to its largest page, so that guests' pages stay the hardware's and nothing lies in between."""
    at = model.VM_MEMORY
    things = [(d.memory, d) for d in system.domains] + [(c.size, c) for c in system.channels]
    for size, thing in sorted(things, key=lambda pair: -page_fitting(pair[0])):
        page = page_fitting(size)
        thing.base = -(-at // page) * page
        at = thing.base + size
