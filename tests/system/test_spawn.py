# SPDX-License-Identifier: MIT
"""Processes start others, in slots that the system file gives them; docs/shell.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.errors import UserError
from support import ended, free, listed, said

ROUNDS, ROUNDS_FULL = 1000, 10_000


@pytest.fixture(scope="module")
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    """A process for each thing that spawner.c does, all but one with slots."""
    rounds = str(ROUNDS_FULL if request.config.getoption("full") else ROUNDS)

    storm = str(100_000 if request.config.getoption("full") else 5000)

    def role(*words: str, **keys: Any) -> dict[str, Any]:
        process = {"kind": "process", "program": "build:spawner.elf", "arguments": ["spawner", *words], "memory": "1M"}
        return process | {"files": "build:spawned.elf", "cores": [0], "autostart": False} | keys

    slots = {"slots": 2, "memory": "192K"}
    made = {
        "system": "spawn",
        "board": "q35-spawn",
        "cores": 2,
        "memory": "128M",
        "domains": {
            "check": role("check", spawn=slots, cores=[0, 1]),
            "rounds": role("rounds", rounds, spawn=slots | {"slots": 1}),
            "leaves": role("leaves", spawn=slots | {"slots": 1}, restart=["fault"]),
            "hostile": role("hostile", "300", spawn=slots | {"slots": 1}, cores=[1]),
            "storm": role("storm", storm, spawn=slots, cores=[0, 1], threads=2),
            "typed": role(program="build:posixspawn.elf", files="build:posixspawn.elf") | {"arguments": ["posixspawn", "poll"]},
            "posix": role(program="build:posixspawn.elf", files="build:posixspawn.elf", spawn={"slots": 2, "memory": "256K"})
            | {"arguments": ["posixspawn"]},
        },
    }
    with boot_module(made) as board:
        await_monitor(board)
        yield board


def test_each_call_is_answered_rightly_and_wrongly(board: Board) -> None:
    """Arguments, status, a fault, a kill, full slots, memory that is zero, handles, and all that may be wrong."""
    assert ended(board, "check") == "done: exit status 0", board["check"].text
    said(board, "check", "spawned: one\r*\nspawned: two\r*\nspawned: SAID is hello\r*\n")
    said(board, "check", "spawner: right")
    assert re.search(r"process check\.\d: thread 0: page fault at image\+", board["kernel"].text)


def test_a_thousand_programs_leave_nothing(board: Board) -> None:
    """The second time: what the slot needs once, it has then."""
    assert ended(board, "rounds") == "done: exit status 0"
    before = free(board)
    assert ended(board, "rounds") == "done: exit status 0"
    assert free(board) == before


def test_who_ends_takes_along_what_it_started(board: Board) -> None:
    """It begins anew after its fault, five times, with its one slot free each time."""
    command(board, "start leaves")
    for _life in range(5):
        said(board, "kernel", r"(?s)(?:domain leaves: fault.*){5}")
    command(board, "stop leaves")
    assert board["leaves"].text.count("spawner: left one") >= 5
    assert "WRONG" not in board["leaves"].text
    assert listed(board, "leaves.1")["state"] == "stopped"


def test_a_damaged_program_is_refused_or_ends_alone(board: Board) -> None:
    assert ended(board, "hostile", 120) == "done: exit status 0"
    said(board, "hostile", r"spawner: \d+ refused, \d+ ran")


def test_only_its_owner_starts_a_slot(board: Board) -> None:
    with pytest.raises(UserError, match="start: -1"):
        command(board, "start check.1")
    assert ended(board, "check") == "done: exit status 0"


def test_posix_spawn_and_its_kind_answer_as_posix_says(board: Board) -> None:
    """Status, kill, waitpid's errors, paths, pipes with poll, a reader that is gone, file actions."""
    assert ended(board, "posix") == "done: exit status 0", board["posix"].text
    said(board, "posix", "posixspawn: right")


def test_random_calls_of_two_threads_leave_all_slots_and_pipes_free(board: Board) -> None:
    """They start, kill and wait for each other's programs, on two cores, three times."""
    for _life in range(3):
        assert ended(board, "storm", 120) == "done: exit status 0", board["storm"].text
    assert "PANIC" not in board["kernel"].text


def test_a_typed_line_is_ready_when_it_is_whole(board: Board) -> None:
    """By poll(), of a process without slots, which starts nothing."""
    command(board, "start typed")
    said(board, "typed", "posixspawn: waits")
    board["typed"].send("not")
    board["typed"].send("hing\n")
    said(board, "typed", r"posixspawn: read nothing\r*\n")
    board["typed"].send("\x04")
    said(board, "kernel", "domain typed: done: exit status 0")
