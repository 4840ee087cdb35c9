# SPDX-License-Identifier: MIT
"""Processes use the files of a server in another process, by 9P over tunnels."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from support import after, ended, listed, said

CLIENTS = ("write", "watch", "fill", "leave", "again")
KILLS, KILLS_FULL = 20, 200


@pytest.fixture(scope="module", params=["q35", "virt"])
def board(request: pytest.FixtureRequest, boot_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A server of a folder, with a quota for each client, and a client for each thing that mounted.c does."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "greeting").write_text("hello\n", encoding="utf-8")
    process = {"kind": "process", "cores": [0]}
    server = process | {"program": "build:fileserver.elf", "arguments": ["fileserver", "quota=256K"], "memory": "2M", "threads": 8}
    client = process | {"program": "build:mounted.elf", "memory": "256K"}
    domains = {"files": server | {"files": str(tree)}}
    domains |= {name: client | {"arguments": ["mounted", name], "autostart": name in ("write", "watch")} for name in CLIENTS}
    channels = [{"name": name, "between": ["files", name], "size": "64K"} for name in CLIENTS]
    with boot_module(
        {"system": "files", "board": request.param, "cores": 1, "memory": "64M", "domains": domains, "channels": channels}
    ) as board:
        await_monitor(board)
        yield board


def test_files_of_a_server_are_used_as_ones_own(board: Board) -> None:
    said(board, "write", r"mounted: \d+ bytes, mode 100644")
    said(board, "write", r"mounted: /srv has greeting dev/ folder/\r*\n")
    said(board, "write", r"mounted: /srv/folder has lines\r*\n")
    said(board, "write", "mounted: wrote")


def test_what_one_client_writes_another_one_reads(board: Board) -> None:
    said(board, "watch", "mounted: read")


def filled(board: Board) -> int:
    console = board["fill"]
    before = len(console.text)
    assert ended(board, "fill") == "done: exit status 0"
    console.seek(before)
    return int(console.expect(r"mounted: (\d+) KiB: No space left on device")[1])


def test_a_client_gets_no_more_than_its_quota_and_all_of_it_again(board: Board) -> None:
    first = filled(board)
    assert 200 <= first < 256
    assert filled(board) == first


def test_a_client_that_ends_leaves_nothing(board: Board) -> None:
    """Twenty files of 4 KiB that have no name, four times: more than its quota if one life's stayed."""
    for _life in range(4):
        assert ended(board, "leave") == "done: exit status 0"
    said(board, "leave", "mounted: left")


def test_a_server_that_ends_is_an_error_and_its_next_life_is_found(board: Board) -> None:
    said(board, "watch", "mounted: read")
    after(board, "stop files", "watch", "mounted: lost: I/O error")
    after(board, "start files", "watch", "mounted: again")


def test_a_server_that_is_killed_at_any_moment_is_an_error_or_nothing_for_its_client(board: Board, request: pytest.FixtureRequest) -> None:
    """What the client reads is what it wrote; it is never stuck, and in its first life after all."""
    kills, dice = KILLS_FULL if request.config.getoption("--full") else KILLS, random.Random(34)
    said(board, "files", "fileserver: serves")
    lives = board["files"].text.count("fileserver: serves")
    after(board, "start again", "again", r"mounted: 100 rounds, 0 lost")
    for _kill in range(kills):
        time.sleep(dice.uniform(0, 0.2))
        command(board, "restart files")
    board["again"].seek(len(board["again"].text))
    found = [board["again"].expect(r"mounted: (\d+) rounds, (\d+) lost\r*\n", 60) for _ in range(3)]
    assert int(found[1][2]) == int(found[2][2]) > 0  # some lost, none any more
    assert lives < board["files"].text.count("fileserver: serves") <= lives + kills  # one that is killed at once says nothing
    assert listed(board, "again")["state"] == "running", board["again"].text
    command(board, "stop again")
