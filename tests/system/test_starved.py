# SPDX-License-Identifier: MIT
"""Domains that get no time on their core, beside a neighbour that never sleeps and is more urgent, are ended all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from support import listed, said, settled

GUEST = {"boot": "pvh", "kernel": "build:checksum.elf", "memory": "32M", "cmdline": "seed=7 mib=4 report=8", "devices": [{"type": "uart"}]}
PROCESS = {"kind": "process", "program": "build:spin.elf", "memory": "64K"}
STARVED: dict[str, dict[str, Any]] = {
    "guest": GUEST | {"priority": 2},
    "process": PROCESS | {"threads": 4, "priority": 2},
    "task": {"kind": "task", "task": "jacobi", "priority": 2},
}


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    domains = {
        "busy": PROCESS | {"priority": 20},
        **STARVED,
        "dog": GUEST | {"priority": 2, "watchdog": "300ms"},
        "kicks": PROCESS | {"priority": 2, "watchdog": "300ms"},
    }
    for domain in domains.values():
        domain["cores"] = [1]
    with boot_module({"system": "starved", "board": "q35", "cores": 2, "memory": "256M", "domains": domains}) as board:
        await_monitor(board)
        yield board


@pytest.mark.parametrize("name", STARVED)
def test_a_starved_domain_is_stopped(board: Board, name: str) -> None:
    assert listed(board, name)["state"] == "running"
    command(board, f"stop {name}")
    assert listed(board, name)["state"] == "stopped"
    assert listed(board, "busy")["state"] == "running"


@pytest.mark.parametrize("name", ["dog", "kicks"])
def test_a_starved_domain_is_ended_by_its_watchdog(board: Board, name: str) -> None:
    said(board, "kernel", rf"domain {name}: watchdog", 60)
    assert settled(board, name)["state"] == "stopped"
