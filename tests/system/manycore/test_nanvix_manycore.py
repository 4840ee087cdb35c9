# SPDX-License-Identifier: MIT
"""Programs of libnanvix in clusters of a many-core: alone in each, and over the network between them."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.beside

EACH = ("nanvix-threads", "nanvix_spin-threads", "nanvix-locks", "nanvix_spin-locks", "nanvix-ulibc")


def cluster(program: str) -> dict[str, Any]:
    """One whose only domain runs it, with all threads that there can be."""
    name = program.partition("-")[2]
    process = {"kind": "process", "program": f"build:{program}.elf", "arguments": [name, "all"], "memory": "512K", "threads": 15}
    return {"domains": {"program": process}}


def system(name: str, programs: tuple[str, ...]) -> dict[str, Any]:
    """The first cluster is the one for I/O."""
    clusters = {f"c{i}": ({"kind": "io"} if i == 0 else {}) | cluster(program) for i, program in enumerate(programs)}
    return {"system": name, "board": "manycore", "kernel": "shape:cluster", "clusters": clusters}


@pytest.mark.parametrize("way", ["nanvix", "nanvix_spin"])
def test_mailboxes_portals_and_syncs_do_what_they_promise(running, way: str) -> None:
    with running(system("messages", (f"{way}-clusters",) * 5)) as board:
        for name in board.names:
            board[name].expect(r"^clusters: right", 120)


def test_threads_and_locks_do_what_they_promise_in_each_cluster(running) -> None:
    with running(system("each", EACH)) as board:
        for name, program in zip(board.names, EACH, strict=True):
            board[name].expect(rf"^{program.partition('-')[2]}: right", 120)
