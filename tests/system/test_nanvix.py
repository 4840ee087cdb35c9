# SPDX-License-Identifier: MIT
"""Programs of libnanvix as processes on both machines; tests/programs/nanvix checks itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from support import said

ENDS = {"threads": 3, "locks": 0, "ulibc": 4, "pages": 0, "clusters": 0, "faults": 0, "signals": 0}
WAYS = ("nanvix", "nanvix_spin")
BOARDS = ["virt", "q35"]


def system(board: str, way: str, programs: tuple[str, ...]) -> dict[str, Any]:
    common = {"kind": "process", "memory": "512K", "threads": 15, "cores": [0, 1]}
    domains = {name: common | {"program": f"build:{way}-{name}.elf", "arguments": [name, "all"]} for name in programs}
    memory = {"memory": "128M"} if board == "q35" else {}
    return {"system": f"{way.replace('_', '-')}-{len(programs)}", "board": board, "cores": 2, **memory, "domains": domains}


@pytest.fixture(scope="module", params=[(board, way) for board in BOARDS for way in WAYS], ids=lambda p: "-".join(p))
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    machine, way = request.param
    with boot_module(system(machine, way, (*ENDS,)), icount=True) as board:
        yield board


@pytest.mark.parametrize("name", ENDS)
def test_calls_do_what_they_promise(board: Board, name: str) -> None:
    said(board, "kernel", f"domain {name}: done: exit status {ENDS[name]}", 240)
    assert f"{name}: right" in board[name].text, board[name].text
