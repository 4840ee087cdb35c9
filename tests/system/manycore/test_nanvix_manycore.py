# SPDX-License-Identifier: MIT
"""Programs of libnanvix in clusters of a many-core: alone in each, and over the network between them."""

from __future__ import annotations

from typing import Any

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

SLEEPING = ("nanvix-threads", "nanvix-locks", "nanvix-ulibc", "nanvix-faults", "nanvix-signals")
SPINNING = ("nanvix_spin-threads", "nanvix_spin-locks", "nanvix_spin-faults")
EACH = SLEEPING + SPINNING


def cluster(program: str) -> dict[str, Any]:
    """One whose only domain runs it, with all threads that there can be."""
    name = program.partition("-")[2]
    process = {"kind": "process", "program": f"build:{program}.elf", "arguments": [name, "all"], "memory": "512K", "threads": 15}
    return {"domains": {"program": process}}


def system(board: str, name: str, programs: tuple[str, ...]) -> dict[str, Any]:
    """The first cluster is the one for I/O."""
    clusters = {f"c{i}": ({"kind": "io"} if i == 0 else {}) | cluster(program) for i, program in enumerate(programs)}
    return {"system": name, "board": board, "kernel": KERNELS[board], "clusters": clusters}


@pytest.mark.parametrize(("board", "way"), [("manycore", "nanvix"), ("manycore", "nanvix_spin"), ("manycore32", "nanvix")])
def test_mailboxes_portals_and_syncs_do_what_they_promise(running, board: str, way: str) -> None:
    with running(system(board, "messages", (f"{way}-clusters",) * 5)) as started:
        for name in started.names:
            started[name].expect(r"^clusters: right", 120)


@pytest.mark.parametrize("board", BOARDS)
def test_threads_and_locks_do_what_they_promise_in_each_cluster(running, board: str) -> None:
    with running(system(board, "each", EACH)) as started:
        for name, program in zip(started.names, EACH, strict=True):
            started[name].expect(rf"^{program.partition('-')[2]}: right", 120)
