# SPDX-License-Identifier: MIT
"""All objects of POSIX threads at once, while signals come (tests/programs/sync.c)."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

BOARDS = ["q35", "virt", "i586"]
STEPS, STEPS_FULL = 10_000, 100_000


@pytest.mark.parametrize("machine", BOARDS)
def test_objects_of_threads_keep_their_promises_while_signals_come(boot: Any, machine: str, full: bool) -> None:
    steps = STEPS_FULL if full else STEPS
    sync = {"kind": "process", "program": "build:sync.elf", "arguments": ["sync", str(steps), "4", "1"]}
    domains = {"sync": sync | {"memory": "1M", "threads": 8, "cores": [0, 1]}}
    memory = {} if machine == "virt" else {"memory": "64M"}
    with boot({"system": "sync", "board": machine, "cores": 2, **memory, "domains": domains}, icount=True) as board:
        found = said(board, "sync", r"sync: (\d+) rounds, (\d+) threads, (\d+) late, (\d+) signals\r*\n", 900 if full else 120)
        assert int(found.group(1)) == steps // 4 // 50 and int(found.group(4)) > 0
        said(board, "sync", r"sync: right\r*\n")
