# SPDX-License-Identifier: MIT
"""Tunnels that end at processes: to each other, to a guest, by AMD-V and by VT-x, and to an unmodified Linux; and windows beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from second import EMULATOR, MAKERS
from support import after, ended, listed, processes, said, says

TUNNEL = {"kind": "process", "program": "build:tunnel.elf", "memory": "128K", "threads": 2, "cores": [0]}
GUEST = {"boot": "pvh", "kernel": "build:tunnel.elf", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}]}


def end(role: str, *words: str, **keys: Any) -> dict[str, Any]:
    return TUNNEL | {"arguments": ["tunnel", role, *words]} | keys


@pytest.fixture(scope="module", params=MAKERS)
def maker(request: pytest.FixtureRequest) -> str:
    """The board."""
    board: str = request.param
    return board


@pytest.fixture(scope="module")
def board(boot_module: Any, maker: str) -> Iterator[Board]:
    """systems/processes.yaml, and an end of a tunnel for all that may go wrong with one. On Bochs a small guest stands for Linux, and
    times are shorter."""
    made = processes("neighbour", "hello", "threads", "maps", "fault", "spin") | {"board": maker}
    if EMULATOR[maker]:
        made["domains"]["linux"] = GUEST | {"cmdline": "role=pong"}
        made["domains"]["phoenix"]["arguments"] = ["phoenix", "null", "1"]
        made["domains"]["rt"]["cmdline"] = "mode=window report=50"
    made["domains"] |= {
        "check": end("check", "0", "1", cores=[0, 1]),
        "echo": end("pong"),
        "silent": end("touch", autostart=False),
        "turn0": end("turn", "0", "500", "0"),
        "turn1": end("turn", "0", "500", "1"),
        "lost": end("lost", cores=[1, 0]),
        "touch": end("touch", autostart=False),
        "left": end("left"),
        "left-guest": GUEST | {"cmdline": "role=left"},
    }
    made["channels"] += [
        {"name": "checked", "between": ["check", "echo"], "size": "8K"},
        {"name": "dead", "between": ["silent", "check"], "size": "4K", "write": ["silent"]},
        {"name": "turns", "between": ["turn0", "turn1"], "size": "4K"},
        {"name": "lost", "between": ["lost", "echo"], "size": "4K"},
        {"name": "read-only", "between": ["touch", "echo"], "size": "4K", "write": ["echo"]},
        {"name": "left", "between": ["left", "phoenix"], "size": "4K"},
        {"name": "left-guest", "between": ["left-guest", "phoenix"], "size": "4K"},
    ]
    clock = {"ips": 50_000_000} if EMULATOR[maker] else {}  # a second of it is fewer instructions
    with boot_module(made, emulator=EMULATOR[maker], **clock) as board:
        await_monitor(board)
        yield board


def test_two_processes_talk_over_a_tunnel(board: Board) -> None:
    said(board, "ping", r"tunnel: ping n=\d+ wrong=0 ")
    said(board, "pong", r"tunnel: pong at 0xffff000000, 4096 bytes, rights 3")


def test_every_argument_rightly_and_wrongly(board: Board) -> None:
    said(board, "check", "tunnel: right")
    said(board, "kernel", "domain check: done: exit status 0")


def test_processes_wait_and_wake_on_words_that_they_share(board: Board) -> None:
    for name in ("turn0", "turn1"):
        said(board, name, "tunnel: 500 turns, right")


def test_an_end_that_may_only_read_cannot_write(board: Board) -> None:
    assert re.fullmatch(r"fault: thread 0: page fault at image\+[0-9a-f]+, address ffff600000", ended(board, "touch"))


def test_a_tunnel_is_withdrawn_from_a_process_and_granted_again(board: Board) -> None:
    """A thread that waits for its bell is told; the next touch of one that never calls is a fault. The other end lives on."""
    said(board, "lost", "tunnel: here")
    after(board, "withdraw lost", "lost", "tunnel: gone")
    after(board, "grant lost", "lost", "tunnel: back")
    end = after(board, "withdraw lost", "kernel", r"domain lost: (.*?)\r*\n")[1]
    assert re.fullmatch(r"fault: thread 0: page fault at image\+[0-9a-f]+, address ffff500000", end), end
    assert listed(board, "echo")["state"] == "running"
    command(board, "grant lost")
    after(board, "start lost", "lost", "tunnel: here")
    command(board, "stop lost")


def test_a_tunnel_outlives_both_ends(board: Board) -> None:
    """What is shown is shown to the next run, too."""
    for name in ("ping", "pong"):
        command(board, f"stop {name}")
    for name in ("pong", "ping"):
        command(board, f"start {name}")
    says(board, "ping", r"tunnel: ping n=\d+ wrong=0 ")


def test_who_waits_is_told_that_the_peer_has_ended_however_it_ends(board: Board) -> None:
    """By the bell and at a word, at each end and once; a guest by a ring."""
    says(board, "left", r"tunnel: left n=\d+ running=0")
    says(board, "left", r"tunnel: left n=\d+ running=0")
    says(board, "phoenix", "fault: null")
    after(board, "stop phoenix", "left", r"tunnel: left n=\d+ running=0")
    command(board, "start phoenix")
    said(board, "left-guest", r"tunnel: the peer has ended, rings=1\r*\n")


def test_a_process_talks_to_an_unmodified_linux(board: Board) -> None:
    """Or to a guest that knows where it is."""
    said(board, "asker", r"tunnel: ping n=4 wrong=0 ", 300)
    says(board, "asker", r"tunnel: ping n=\d+ wrong=0 ")


def test_a_bad_pointer_ends_one_process_which_begins_again(board: Board) -> None:
    start = int(listed(board, "phoenix")["restarts"])
    says(board, "kernel", r"domain phoenix: fault: thread 0: page fault at image\+[0-9a-f]+, address 0\r*\n")
    says(board, "phoenix", "fault: null")
    assert int(listed(board, "phoenix")["restarts"]) > start
    says(board, "ping", r"tunnel: ping n=\d+ wrong=0 ")
    says(board, "asker", r"tunnel: ping n=\d+ wrong=0 ")
