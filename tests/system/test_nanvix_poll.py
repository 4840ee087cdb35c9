# SPDX-License-Identifier: MIT
"""Threads of libnanvix that poll for each other get on, although the emulator runs one hart at a time."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support import said

POLLS = ("flag", "lock", "clock", "fence")
MOST = 1_000_000  # instructions of both threads, for some turns of one such loop; without rest it is 100 million a turn


@pytest.mark.parametrize("way", ["nanvix", "nanvix_spin"])
def test_threads_that_poll_for_each_other_do_not_wait_for_the_emulator(boot: Any, way: str) -> None:
    poll = {"kind": "process", "program": f"build:{way}-poll.elf", "memory": "512K", "threads": 2, "cores": [0, 1]}
    with boot({"system": "nanvix-poll", "board": "virt", "cores": 2, "domains": {"poll": poll}}, icount=True) as board:
        said(board, "poll", "poll: done", 240)
        took = {name: int(ns) for name, ns in re.findall(r"poll (\w+) (\d+)", board["poll"].text)}
    assert set(took) == set(POLLS)
    assert max(took.values()) < MOST, took
