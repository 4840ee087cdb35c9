# SPDX-License-Identifier: MIT
"""Where everything lies: firmware, table and images, the NoC slice, the clusters' slices in their order. PMP wants powers of two,
each at a multiple of its size. In a fleet the NoC slice is a device's, and each cluster's slice begins at the same place of its own board."""

from __future__ import annotations

from amalgam.system.clusters import model, table
from amalgam.system.clusters.devicetree import tree_of
from amalgam.system.clusters.model import ClusterSystem


def up(value: int, step: int) -> int:
    return -(-value // step) * step


def place(system: ClusterSystem) -> None:
    """Fill in all addresses and the device trees. A kernel that is not there yet takes no room."""
    system.noc_size = 1 << max(system.outbox * len(system.clusters) - 1, 4095).bit_length()
    behind = table.end(system)
    system.noc = model.SHARED if system.fleet else up(behind, system.noc_size)
    at = behind if system.fleet else system.noc + system.noc_size
    for cluster in system.clusters:
        cluster.outbox = system.noc + cluster.number * system.outbox
        cluster.base = up(behind if system.fleet else at, cluster.memory)
        at = max(at, cluster.base + cluster.memory)
    system.end = at
    if system.board and at <= model.RAM_END:
        for cluster in (c for c in system.clusters if c.image):
            cluster.tree = tree_of(system, cluster)  # as long as it will be: addresses in it have a fixed width
            cluster.tree = tree_of(system, cluster)
