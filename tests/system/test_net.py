# SPDX-License-Identifier: MIT
"""Programs with sockets on q35, each with a network stack of its own, over channels: systems/net.yaml, and a client that reads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor
from support import ended, listed, said
from yaml import safe_load

FRAMES = 10_000


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    made = safe_load((paths.ROOT / "systems/net.yaml").read_text(encoding="utf-8"))
    made["domains"]["slow"] = made["domains"]["talk"] | {
        "arguments": ["talk", "slow", "10.0.2.1"],
        "environment": {"NET": "0 10.0.2.2/24"},
    }
    made["domains"]["rubbish"] = {"kind": "process", "program": "build:rubbish.elf", "arguments": ["rubbish", str(FRAMES)], "memory": "64K"}
    made["domains"]["rubbish"] |= {"cores": [1], "autostart": False}
    made["domains"]["echo"] |= {"environment": {"NET": "0 10.0.0.1/24, 1 10.0.1.1/24, 2 10.0.2.1/24, 3 10.0.3.1/24"}, "threads": 6}
    made["channels"] += [{"name": f"{name}-echo", "between": [name, "echo"], "size": "132K"} for name in ("slow", "rubbish")]
    with boot_module(made) as board:
        await_monitor(board)
        yield board


def test_a_stream_and_datagrams_come_back_from_another_process_as_they_were(board: Board) -> None:
    said(board, "talk", r"talk: round 1: 1048576 bytes and (4[5-9]\d|500) datagrams came back, right")


def test_a_client_that_dies_again_and_again_leaves_the_server_as_it_was(board: Board) -> None:
    """Each life leaves 8 connections that nobody ends; the server keeps 24."""
    said(board, "half", r"(?s)(talk: 8 connections are open.*?){5}")
    assert listed(board, "echo")["state"] == "running"
    said(board, "talk", r"talk: round [2-9]\d*: 1048576 bytes and \d+ datagrams came back, right")


def test_a_client_that_reads_nothing_is_ended_and_the_others_are_served(board: Board) -> None:
    said(board, "slow", r"talk: the server ended it: ")
    assert listed(board, "echo")["state"] == "running"


def test_a_neighbour_that_sends_rubbish_harms_nobody(board: Board) -> None:
    """10,000 frames, each wrong somewhere; the server's other clients are answered meanwhile and afterwards, by its first life."""
    assert ended(board, "rubbish") == "done: exit status 0"
    assert f"rubbish: {FRAMES} frames" in board["rubbish"].text
    board["talk"].seek(len(board["talk"].text))
    for _round in range(2):
        board["talk"].expect(r"talk: round \d+: 1048576 bytes and \d+ datagrams came back, right", 60)
    assert listed(board, "echo")["state"] == listed(board, "talk")["state"] == "running"
    assert "never ran" in listed(board, "echo")["end"]
