# SPDX-License-Identifier: MIT
"""Programs of libnanvix as processes on both machines; user/programs/nanvix checks itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.kernel import build_kernel
from support import processes, said, says

ENDS = {"threads": 3, "locks": 0, "ulibc": 4, "pages": 0, "clusters": 0, "faults": 0, "signals": 0}
WAYS = ("nanvix", "nanvix_spin")
SHAPES = {"virt": "virt", "q35": "process"}


def system(board: str, way: str, programs: tuple[str, ...]) -> dict[str, Any]:
    common = {"kind": "process", "memory": "512K", "threads": 15, "cores": [0, 1]}
    domains = {name: common | {"program": f"build:{way}-{name}.elf", "arguments": [name, "all"]} for name in programs}
    memory = {"memory": "128M"} if board == "q35" else {}
    return {"system": f"{way.replace('_', '-')}-{len(programs)}", "board": board, "cores": 2, **memory, "domains": domains}


@pytest.fixture(scope="module", params=[(board, way) for board in SHAPES for way in WAYS], ids=lambda p: "-".join(p))
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    machine, way = request.param
    build_kernel(SHAPES[machine], lambda _text: None)
    with boot_module(system(machine, way, (*ENDS,)), icount=True) as board:
        yield board


@pytest.mark.parametrize("name", ENDS)
def test_calls_do_what_they_promise(board: Board, name: str) -> None:
    said(board, "kernel", f"domain {name}: done: exit status {ENDS[name]}", 240)
    assert f"{name}: right" in board[name].text, board[name].text


def test_programs_run_beside_linux_in_windows(boot: Any) -> None:
    """They share one core with its windows and have what is left of another; calls to other clusters answer as where there is one."""
    made = processes(*(name for name in processes()["domains"] if name not in ("asker", "linux")))
    made["domains"] |= system("q35", "nanvix", (*ENDS,))["domains"]
    made["domains"]["linux"]["cores"] = [1]
    windows = [{"domain": "linux", "start": 0, "length": "7ms"}, {"domain": "shared", "start": "7ms", "length": "3ms"}]
    made["frames"] = [{"core": 1, "length": "10ms", "windows": windows}]
    with boot(made) as board:
        for name, status in ENDS.items():
            end = said(board, "kernel", rf"domain {name}: (.*?)\r*\n", 240)[1]
            assert (end, f"{name}: right" in board[name].text) == (f"done: exit status {status}", True), board[name].text
        says(board, "asker", r"tunnel: ping n=\d+ wrong=0 ", 240)
