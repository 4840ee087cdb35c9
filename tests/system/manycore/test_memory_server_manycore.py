# SPDX-License-Identifier: MIT
"""A memory server in the I/O cluster, whose pages hold more than the cluster of the program that uses them (user/servers/memory)."""

from __future__ import annotations

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

PAGES = 600  # 2.4 MiB


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_uses_more_memory_than_its_cluster_has(running, board: str) -> None:
    server = {
        "kind": "process",
        "program": "build:server-memory.elf",
        "arguments": ["memory", str(2 * PAGES + 2)],
        "memory": "6M",
        "threads": 1,
    }
    program = {"kind": "process", "program": "build:nanvix-rmem.elf", "arguments": ["rmem", str(PAGES)], "memory": "512K", "threads": 1}
    clusters = {
        "io": {"kind": "io", "harts": 4, "memory": "8M", "domains": {"memory": server}},
        "compute": {"harts": 4, "memory": "2M", "domains": {"program": program}},
    }
    with running({"system": "memory", "board": board, "kernel": KERNELS[board], "clusters": clusters}) as started:
        said = started[started.names[1]].expect(r"rmem: right, (\d+) pages, (\d+) misses", 120)
        assert int(said[1]) == PAGES and int(said[2]) >= 2 * PAGES - 32
