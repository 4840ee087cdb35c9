# SPDX-License-Identifier: MIT
"""All objects of POSIX threads at once, on three harts of a cluster, while signals come (tests/programs/sync.c)."""

from __future__ import annotations

from typing import Any

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

STEPS, STEPS_FULL = 10_000, 100_000


@pytest.mark.parametrize("board", BOARDS)
def test_objects_of_threads_keep_their_promises_in_a_cluster(running: Any, board: str, full: bool) -> None:
    steps = STEPS_FULL if full else STEPS
    sync = {"kind": "process", "program": "build:sync.elf", "arguments": ["sync", str(steps), "4", "1"], "memory": "1M", "threads": 8}
    layout = {"c0": {"kind": "io", "harts": 3, "domains": {"sync": sync}}}
    with running({"system": "sync", "board": board, "kernel": KERNELS[board], "clusters": layout}) as started:
        console = started[started.names[0]]
        found = console.expect(r"sync: (\d+) rounds, (\d+) threads, (\d+) late, (\d+) signals\r*\n", 900 if full else 120)
        assert int(found[1]) == steps // 4 // 50 and int(found[4]) > 0
        console.expect(r"sync: right\r*\n", 10)
