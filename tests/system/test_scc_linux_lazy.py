# SPDX-License-Identifier: MIT
"""Shared virtual memory of the lazy model in a Linux in ring 1 of an SCC's core, beside programs of other cores: a stencil, by /dev/chip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.shell import await_shell
from support import listed, restart_linux, shell

BOOT = 240
CORES = (0, 1, 2, 47)
ROWS, COLUMNS = 61, 64  # no core has as many rows as another one with each


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    linux = {"kernel": "linux586:vmlinux", "initrd": "linux586:initrd", "memory": "8M", "cmdline": "console=hvc0 quiet", "ues": [0]}
    again = {"environment": {"RCCE": "again"}, "restart": ["fault"], "ues": list(CORES)}
    stencil = {"kind": "process", "program": "build:rcce-stencil.elf", "memory": "128K", "shared": "64K", "svm": "128K"}
    domains = {"linux": linux | {"joins": "stencil", "focus": True}, "stencil": stencil | again}
    with boot_module({"system": "lazy", "board": "scc-linux", "domains": domains}, chosen=CORES) as board:
        await_shell(board["linux"], BOOT)
        yield board


def stencil(board: Board) -> tuple[str, str]:
    """The sums of a stencil of Linux' program and the other cores'."""
    text = shell(board, f"stencil {ROWS} {COLUMNS}", timeout=BOOT)
    found = re.search(rf"stencil: 10 iterations of {ROWS} rows on {len(CORES)} UEs: sums (\w+) (\w+), 0 words differ", text)
    assert found, text
    return found[1], found[2]


def test_a_stencil_on_lazy_pages_is_right_in_linux_and_beside(board: Board) -> None:
    """Twice: the others give the pages back, and begin anew."""
    assert stencil(board) == stencil(board)
    assert listed(board, "stencil")["end"] == "stopped: it runs on other cores"


def test_more_than_there_is_is_refused_by_all(board: Board) -> None:
    assert "stencil: no room" in shell(board, "stencil 480 512", timeout=BOOT)
    stencil(board)


def test_a_linux_that_begins_anew_plays_again(board: Board) -> None:
    sums = stencil(board)
    restart_linux(board, BOOT)
    assert stencil(board) == sums
