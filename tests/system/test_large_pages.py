# SPDX-License-Identifier: MIT
"""Large pages of processes, and those of 64 KiB (tests/programs/large.c), on a PC and on a RISC-V board; clusters:
manycore/test_large_manycore.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from support import after, ended, said

PAGES = 5  # of 12 MiB, one of which has the image in it
FAULTS = {"q35": r"page fault", "virt": r"(store|load) page fault"}
WORD = {"q35": "8400100000", "virt": "1400100000"}  # in the middle of large.c's page, where a second thread writes
MEDIUM_WORD = "1400008000"
MEDIUM = ["64k"]  # large.c checks pages of 64 KiB


def system(board: str) -> dict[str, Any]:
    process = {"kind": "process", "program": "build:large.elf", "threads": 2, "memory": "12M", "cores": [0, 1]}
    later = process | {"autostart": False}
    lost = {what: later | {"arguments": ["large", what]} for what in ("taken", "sealed")}
    medium = {"medium": later | {"arguments": ["large", *MEDIUM]}}
    medium |= {f"medium-{what}": later | {"arguments": ["large", *MEDIUM, what]} for what in ("taken", "sealed")}
    memory = {"memory": "128M"} if board == "q35" else {}
    return {"system": "large", "board": board, "cores": 2, **memory, "domains": {"large": process, **lost, **medium}}


@pytest.fixture(scope="module", params=["q35", "virt"])
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[tuple[str, Board]]:
    with boot_module(system(request.param), icount=request.param == "virt") as started:
        yield request.param, started


def test_large_pages(board: tuple[str, Board]) -> None:
    """Each argument rightly and wrongly, 50 times all memory, with two threads; and once more from the start."""
    said(board[1], "large", rf"large: right, {PAGES} pages\r*\n")
    said(board[1], "kernel", "domain large: done: exit status 0")
    after(board[1], "start large", "large", rf"large: right, {PAGES} pages", 120)


@pytest.mark.parametrize("what", ["taken", "sealed"])
def test_what_a_thread_has_no_more_it_faults_on(board: tuple[str, Board], what: str) -> None:
    end = ended(board[1], what)
    assert re.fullmatch(rf"fault: thread 1: {FAULTS[board[0]]} at image\+[0-9a-f]+, address {WORD[board[0]]}", end), end


def test_pages_of_64_kib(board: tuple[str, Board]) -> None:
    """The same of them: on RISC-V, where the emulated hart has Svnapot; each of the 16 parts has its own memory only if the hart
    translates by N. All but the image's and tables' memory becomes such pages, in two lives. On a PC there are none."""
    assert [ended(board[1], "medium", 240) for _life in range(2)] == ["done: exit status 0"] * 2, board[1]["medium"].text
    if board[0] == "q35":
        assert board[1]["medium"].text.count("large: there are none") == 2
        return
    pages = re.findall(r"large: right, (\d+) pages", board[1]["medium"].text)
    assert len(pages) == 2 and pages[0] == pages[1] and int(pages[0]) in range(182, 192), pages
    for what in ("taken", "sealed"):
        end = ended(board[1], f"medium-{what}")
        assert re.fullmatch(rf"fault: thread 1: {FAULTS['virt']} at image\+[0-9a-f]+, address {MEDIUM_WORD}", end), end
