# SPDX-License-Identifier: MIT
"""ARINC 653 ports between two guests over a tunnel: everything arrives in order, whatever the peer does to the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def end(arguments: str) -> dict[str, Any]:
    return {"kernel": "build:ports.elf", "memory": "2M", "cmdline": arguments, "hypercalls": True, "power": "board"}


def system(name: str, cores: int, a: str, b: str) -> dict[str, Any]:
    channel = {"name": "t", "type": "tunnel", "between": ["a", "b"], "size": "4K", "write": ["a", "b"]}
    return {"system": name, "board": "ref405ep", "cores": cores, "domains": {"a": end(a), "b": end(b)}, "channels": [channel]}


@pytest.mark.board
@pytest.mark.parametrize("cores", [1, 2])
def test_messages_arrive_in_order(fleet: Callable[..., Any], cores: int) -> None:
    with fleet(system(f"ports-{cores}", cores, "end=0 messages=2000", "end=1 messages=2000 patience=60")) as board:
        board["b"].expect(r"ports: received 2000 disorder=0 bad=0 torn=0 last speed=2000", 60)


@pytest.mark.board
def test_a_hostile_peer_only_loses_messages(fleet: Callable[..., Any]) -> None:
    """The peer writes anything into the tunnel; the reader comes to its end and says what it got, no fault."""
    with fleet(system("ports-attack", 1, "attack=1 messages=500", "end=1 messages=100000")) as board:
        board["a"].expect(r"ports: attacked", 60)
        board["b"].expect(r"ports: (nothing for 1 s|received)", 60)
        assert "fault" not in board.kernel.text
