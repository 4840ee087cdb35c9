# SPDX-License-Identifier: MIT
"""Two guests share the memory that the system file gives them, ring each other, and lose it when it is withdrawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.errors import UserError
from amalgam.system.compile import locate
from support import after, ended, said


def sixteen() -> dict[str, Any]:
    """systems/tunnel.yaml with as many tunnels as a system can have; all but its own are another pair's, which uses the last one."""
    system = yaml.safe_load(locate("tunnel").read_text(encoding="utf-8"))
    pair = {"last-pong": "role=pong", "last-ping": "role=ping rounds=200"}
    for name, words in pair.items():
        system["domains"][name] = system["domains"][name.removeprefix("last-")] | {"cmdline": f"{words} index=14"}
    system["channels"] += [{"name": f"t{n}", "between": list(pair), "size": "4K"} for n in range(1, 16)]
    return system


@pytest.fixture(scope="module")
def tunnel(boot_module: Any) -> Iterator[Board]:
    with boot_module(sixteen()) as board:
        await_monitor(board)
        said(board, "pong", "tunnel: pong at e0000000, 4096 bytes, gsi 24")
        yield board


def test_two_guests_talk_through_a_tunnel(tunnel: Board) -> None:
    """So often that each halts at every moment at which the other's doorbell can come."""
    start = len(tunnel["ping"].text)
    assert ended(tunnel, "ping", 120).startswith("power-off")
    assert "ping n=4000 wrong=0 " in tunnel["ping"].text[start:]


def test_a_withdrawn_tunnel_is_dead_and_a_granted_one_alive(tunnel: Board) -> None:
    command(tunnel, "withdraw t0")
    after(tunnel, "start ping", "ping", "tunnel: ping at")
    with pytest.raises(UserError):
        tunnel["ping"].expect("ping n=", 1)
    command(tunnel, "stop ping")
    command(tunnel, "grant t0")
    test_two_guests_talk_through_a_tunnel(tunnel)


def test_a_tunnel_that_nobody_knows_is_refused(tunnel: Board) -> None:
    with pytest.raises(UserError):
        command(tunnel, "withdraw nothing")


def test_the_sixteenth_tunnel_of_a_system_is_as_good_as_the_first(tunnel: Board) -> None:
    said(tunnel, "last-pong", "tunnel: pong at e0f00000, 4096 bytes, gsi 39")
    assert ended(tunnel, "last-ping", 120).startswith("power-off")
    said(tunnel, "last-ping", "ping n=200 wrong=0 ")
