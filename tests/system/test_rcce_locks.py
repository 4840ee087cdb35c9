# SPDX-License-Identifier: MIT
"""RCCE's kinds of locks, wanted by all cores at once (bench/scc/programs/rcce/locks.c): nothing is lost, and the lock has gone from core to core."""

from __future__ import annotations

import re
from typing import Any

from support import said

KINDS = ("test-and-set", "backoff", "tree", "queue")
UES, ROUNDS = 12, 10
SECTIONS = UES * ROUNDS
HARDLY = 2 * UES  # if hardly anybody waits, there are fewer changes


def run(boot: Any, *arguments: str) -> dict[str, tuple[int, int]]:
    """Of each kind: how often the lock came from another UE, and how many sections the counter has lost."""
    native = {"kind": "native", "program": "build:locks.elf", "arguments": ["locks", str(ROUNDS), *arguments], "ues": UES, "memory": "512K"}
    system = {"system": "rcce-locks", "board": "scc", "domains": {"locks": native}}
    with boot(system, icount=True, chosen=tuple(range(UES))) as board:
        said(board, "locks", "locks: done")
        text = board["locks"].text
    found = re.findall(rf"locks: (\S+): {SECTIONS} sections, from another UE (\d+) times, (\d+) lost", text)
    assert [name for name, *_ in found] == [*KINDS, "none"]
    return {name: (int(changes), int(lost)) for name, changes, lost in found}


def test_no_section_is_lost_under_a_lock_that_went_from_core_to_core(boot: Any) -> None:
    """Who waits long at the one with backoff looks seldom, so who has just given it back gets it again more often. How often depends on who comes when: 30 to 116 changes were seen."""
    found = run(boot)
    least = dict.fromkeys(KINDS, 0.9 * SECTIONS) | {"backoff": HARDLY}
    assert {kind: found[kind][1] for kind in KINDS} == dict.fromkeys(KINDS, 0)
    assert {kind: found[kind][0] for kind in KINDS if found[kind][0] < least[kind]} == {}
    assert found["none"][1] > SECTIONS // 2  # the same sections without a lock


def test_without_a_pause_a_core_takes_its_own_lock_again(boot: Any) -> None:
    """What the pauses are for: a run in which hardly anybody waits shows nothing of a lock."""
    found = run(boot, "plain")
    assert all(changes < HARDLY for changes, _lost in found.values())
