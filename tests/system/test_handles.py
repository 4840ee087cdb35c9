# SPDX-License-Identifier: MIT
"""Handles on the board: memory that processes share by them, and withdraw; docs/handles.md. Beside guests by AMD-V and by VT-x."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from neighbour import check_neighbour
from second import EMULATOR, MAKERS_NET
from support import listed, said, says

ROUNDS = {"": 10, "bochs": 4}
STEPS, STEPS_FULL = 20_000, 1_000_000
SLOW = 50  # so many times fewer on Bochs


def role(*words: str, **keys: Any) -> dict[str, Any]:
    return {"kind": "process", "program": "build:handles.elf", "arguments": ["handles", *words], "memory": "512K"} | keys


@pytest.fixture(scope="module", params=MAKERS_NET)
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    """One that gives, one that reads till it ends, one that asks; two hostile ones; and a neighbour that has nothing to do with them."""
    emulator = EMULATOR[request.param]
    steps = str((STEPS_FULL if request.config.getoption("full") else STEPS) // (SLOW if emulator else 1))
    near = {"boot": "pvh", "kernel": "build:checksum.elf", "memory": "32M", "devices": [{"type": "uart"}], "cores": [1], "priority": 4}
    made = {
        "system": "handles",
        "board": request.param,
        "cores": 2,
        "memory": "256M",
        "domains": {
            "giver": role("giver", str(ROUNDS[emulator]), cores=[0], priority=16),
            "reader": role("reader", cores=[1], restart=["fault"]),  # of less priority: slow to end, so the next handle comes before it has
            "asker": role("asker", cores=[1], priority=16),
            "wrong": role("wrong", cores=[0], priority=16),
            "silent": role("asker", cores=[0], autostart=False),
            "hostile0": role("hostile", steps, cores=[0, 1], threads=2, restart=["fault"]),
            "hostile1": role("hostile", steps, cores=[1, 0], threads=2, restart=["fault"]),
            "near": near | {"cmdline": "seed=7 mib=4 report=8"},
        },
        "channels": [
            {"name": name, "between": list(ends), "size": "4K"}
            for name, ends in {
                "reads": ("giver", "reader"),
                "asks": ("giver", "asker"),
                "none": ("wrong", "silent"),
                "attack": ("hostile0", "hostile1"),
            }.items()
        ],
    }
    fast = {"ips": 50_000_000} if emulator else {}  # a second of its clock is fewer instructions
    with boot_module(made, emulator=emulator, **fast) as board:
        await_monitor(board)
        yield board


def test_each_call_of_handles_is_answered_rightly_and_wrongly(board: Board) -> None:
    said(board, "wrong", "handles: right")


def test_memory_is_withdrawn_while_others_read_it(board: Board, request: pytest.FixtureRequest) -> None:
    """The reader ends by a fault at the page, in each round; who asks is told; the giver's memory is its own again."""
    said(board, "giver", "handles: given and withdrawn, right")
    said(board, "kernel", "domain giver: done: exit status 0")
    ends = re.findall(r"domain reader: (.*?)\r*\n", board["kernel"].text)
    assert len(ends) == ROUNDS[EMULATOR[request.node.callspec.params["board"]]]
    assert all(re.fullmatch(r"fault: thread 0: page fault at image\+[0-9a-f]+, address fffe[0-9a-f]{6}", end) for end in ends), ends
    assert listed(board, "asker")["state"] == "running"


def test_a_process_with_random_handles_disturbs_nobody(board: Board) -> None:
    for name in ("hostile0", "hostile1"):
        said(board, name, "handles: done")
    says(board, "near", "checksum: round=")
    check_neighbour(board, "near", 7, 4)
    assert "PANIC" not in board["kernel"].text
    assert command(board, "list")
