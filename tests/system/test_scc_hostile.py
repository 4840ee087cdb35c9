# SPDX-License-Identifier: MIT
"""Processes on three cores of an SCC do their worst: calls (tests/programs/hostile.c), what is deadly, and RCCE with rubbish in all that is
theirs (rcce/rubbish.c), and one has its kernel write where it may not (rcce/asks.c). On other cores messages stay right, of processes and of
a native program, and every kernel answers.

10,000 steps of each; with --full 100,000."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from rcce_process import compiled, line, process
from support import said

STEPS, STEPS_FULL = 10_000, 100_000
CALLS, DEADLY, RUBBISH = 17, 18, [20, 21, 22]  # cores; the last one does its worst to the others' part of the chip
UES, NATIVE, ASKS = [0, 5, 47], [1, 30], 19
WATCHDOG = "50ms"  # a life that keeps its faults for a pager that never comes does not end by itself


@pytest.fixture(scope="module")
def board(boot_module: Any, full: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    steps = str(STEPS_FULL if full else STEPS)
    folder = tmp_path_factory.mktemp("programs")
    hostile = {"kind": "process", "program": "build:hostile.elf", "memory": "256K", "threads": 64, "shared": "8K", "svm": "64K"}
    made = {
        "system": "scc-hostile",
        "board": "scc",
        "domains": {
            "calls": hostile | {"arguments": ["hostile", steps], "ues": [CALLS]},
            "deadly": hostile | {"arguments": ["hostile", steps, "deadly"], "ues": [DEADLY], "restart": ["fault"], "watchdog": WATCHDOG},
            "rubbish": process(compiled("rubbish", folder), RUBBISH, steps),
            "asks": process(compiled("asks", folder), [ASKS]),
            "pingpong": process("build:rcce-pingpong.elf", UES, "5000", "200", shared="8K"),
            "native": {"kind": "native", "program": "build:pingpong.elf", "arguments": ["pingpong", "32", "2000"], "ues": NATIVE},
        },
    }
    with boot_module(made, icount=True) as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        yield board


def unharmed(board: Board) -> None:
    """Messages beside them are right, the kernels of the cores that they have run and write nowhere for a process that may not, and none has
    met a fault of its own."""
    said(board, *line(ASKS, "asks", r"asks: (\d+) of \1 refused"), 30)
    for ue in (1, 2):
        said(board, "pingpong", rf"pingpong: UE {ue}, 200 times 5000 bytes and back, \d+ ns each way, 0 wrong")
    said(board, *line(NATIVE[0], "native", r"pingpong: UE 1, 2000 times 32 bytes and back, \d+ ns each way, 0 wrong"))
    assert re.search(rf"{CORES} of {CORES} kernels run", command(board, "kernels", 60))
    assert not re.search("FAULT|PANIC", board.kernel.text)


@pytest.mark.timeout(0)
def test_no_call_of_a_hostile_process_harms_another_core(board: Board, full: bool) -> None:
    said(board, "kernel", rf"core {CALLS}: .*domain calls: done: exit status 0", 7200 if full else 300)
    unharmed(board)


@pytest.mark.timeout(0)
def test_a_process_that_writes_rubbish_reaches_its_own_program_only(board: Board, full: bool) -> None:
    """Its partners may wait for ever; no rubbish makes them fault."""
    said(board, "kernel", rf"core {RUBBISH[-1]}: .*domain rubbish: done: exit status 0", 7200 if full else 300)
    assert not re.search("domain (rubbish|pingpong): fault", board.kernel.text)
    unharmed(board)


@pytest.mark.timeout(0)
def test_what_is_deadly_on_one_core_ends_its_process_only(board: Board) -> None:
    """Again and again."""
    said(board, "kernel", rf"(?s)(core {DEADLY}: [^\n]*domain deadly: fault: thread.*){{3}}", 300)
    unharmed(board)
