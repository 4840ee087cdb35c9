# SPDX-License-Identifier: MIT
"""Processes of a cluster start others, on cores of their cluster that no domain has (docs/servers.md)."""

from __future__ import annotations

from typing import Any

import pytest
from manycores import BOARDS, SPAWNS, Start

pytestmark = pytest.mark.beside


def system(board: str, *words: str, **more: Any) -> dict[str, Any]:
    process = {"kind": "process", "program": "build:spawner.elf", "arguments": ["spawner", *words], "files": "build:spawned.elf"}
    process |= {"memory": "1M", "cores": [1], "threads": 1, "power": "board", "spawn": {"slots": 2, "memory": "192K"}} | more
    clusters = {"io": {"kind": "io", "harts": 4, "domains": {"owner": process}}}
    return {"system": "spawn", "board": board, "kernel": SPAWNS[board], "clusters": clusters}


@pytest.mark.parametrize("board", BOARDS)
def test_a_process_of_a_cluster_starts_programs_and_is_told_their_ends(clusters: Start, board: str) -> None:
    """Status, fault, kill, full slots, memory that is zero, handles, and all that may be wrong."""
    said = clusters(system(board, "check"))["io"].text
    assert "spawner: right" in said and "WRONG" not in said


def test_what_a_started_program_held_comes_back(clusters: Start) -> None:
    """The next one in its slot has as many mailboxes, whether it called exit() or was ended by a fault."""
    said = clusters(system("manycore", "mails"))["io"].text
    assert "spawner: right" in said and "WRONG" not in said


def test_random_calls_of_two_threads_leave_all_slots_and_pipes_free(clusters: Start) -> None:
    said = clusters(system("manycore", "storm", "1000", cores=[1, 2], threads=2, spawn={"slots": 2, "memory": "192K", "cores": [2, 3]}))
    assert "spawner: right" in said["io"].text and "WRONG" not in said["io"].text
