# SPDX-License-Identifier: MIT
"""Nanvix' runtime in clusters: remote memory by its addresses, the barrier of all clusters, mailboxes by names (user/nanvix/lib)."""

from __future__ import annotations

import pytest
import support
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

CLUSTERS = 4  # not what libnanvix is compiled for
SERVERS = {
    "name": {"kind": "process", "program": "build:server-name.elf", "memory": "192K", "threads": 1, "cores": [1]},
    "memory": {
        "kind": "process",
        "program": "build:server-memory.elf",
        "arguments": ["memory", "600"],
        "memory": "3M",
        "threads": 1,
        "cores": [2],
    },
}
RING = {
    "kind": "process",
    "program": "build:nanvix-ring.elf",
    "arguments": ["ring", str(CLUSTERS)],
    "memory": "256K",
    "threads": 2,
    "cores": [3, 4],
}
VMEM = {"kind": "process", "program": "build:nanvix-vmem.elf", "memory": "512K", "threads": 3, "cores": [1, 2]}


@pytest.mark.parametrize("board", BOARDS)
def test_clusters_meet_and_find_each_other_and_use_remote_memory_by_its_addresses(running, board: str) -> None:
    clusters = {
        "io": {"kind": "io", "harts": 5, "memory": "8M", "domains": {**SERVERS, "ring": RING}},
        "uses": {"harts": 5, "memory": "2M", "domains": {"vmem": VMEM, "ring": RING}},
        "compute": {"count": CLUSTERS - 2, "harts": 5, "domains": {"ring": RING}},
    }
    with running({"system": "runtime", "board": board, "kernel": KERNELS[board], "clusters": clusters}) as started:
        uses = started[started.names[1]]
        uses.expect(r"Vmem: this text is remote", 60)
        uses.expect(r"vmem: right", 60)
        uses.expect(r"domain vmem: fault: thread 0: store page fault at image\+[0-9a-f]+, address", 30)
        for n, name in enumerate(started.names):
            assert support.said(started, name, rf"ring: right, cluster {n} of {CLUSTERS}", 60)


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_that_begins_with_main3_finds_all_of_the_runtime(running, board: str) -> None:
    """Its name, its mailboxes and remote memory are there, and its result is its end. A cluster without a free thread for the pager says so."""
    begins = {
        "kind": "process",
        "program": "build:nanvix-begins.elf",
        "arguments": ["begins"],
        "memory": "512K",
        "threads": 3,
        "cores": [3],
    }
    clusters = {
        "io": {"kind": "io", "harts": 5, "memory": "8M", "domains": SERVERS},
        "begins": {"harts": 5, "memory": "2M", "domains": {"begins": begins}},
        "alone": {"harts": 5, "memory": "2M", "domains": {"begins": begins | {"threads": 1}}},
    }
    with running({"system": "begins", "board": board, "kernel": KERNELS[board], "clusters": clusters}) as started:
        name = started.names[1]
        started[name].expect(r"begins: right, cluster1\s", 60)
        started[name].expect(r"domain begins: done: exit status 7", 60)
        started[started.names[2]].expect(r"runtime: cluster2 does not begin: error \d+\s", 60)
