# SPDX-License-Identifier: MIT
"""Pages that the runs of a process on several cores of an SCC share: wrong calls, and processes that do their worst, while others compute
beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.build.programs import compile_program, toolchain
from rcce_process import MACHINE, line
from support import said

HERE = Path(__file__).with_name("svm")
RIGHT, ROUNDS = [0, 6, 30, 47], 8
ARGUMENTS, NONE, TOGETHER, ALONE = [10, 20], 11, [16, 18, 40], 17
STEPS, STEPS_FULL = 500, 50_000


def compiled(name: str, folder: Path) -> str:
    made = folder / f"{name}.elf"
    words = ["-O2", "-Wall", "-Werror", str(HERE / f"{name}.c"), "-o", str(made)]
    assert compile_program(words, toolchain(lambda _text: None, MACHINE), MACHINE) == 0
    return str(made)


def process(program: str, ues: list[int], svm: str, *arguments: str) -> dict[str, Any]:
    made = {"kind": "process", "program": program, "ues": ues, "memory": "512K", "shared": "4K", "svm": svm}
    return made | {"arguments": ["program", *arguments]}


@pytest.fixture(scope="module")
def board(boot_module: Any, full: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    folder = tmp_path_factory.mktemp("programs")
    arguments, rubbish = (compiled(name, folder) for name in ("arguments", "random"))
    steps = str(STEPS_FULL if full else STEPS)
    none = {"kind": "process", "program": arguments, "arguments": ["arguments", "none"], "ues": [NONE], "memory": "64K"}
    domains = {
        "right": process("build:svm.elf", RIGHT, "1M", str(ROUNDS)),
        "arguments": process(arguments, ARGUMENTS, "64K"),
        "none": none,
        "together": process(rubbish, TOGETHER, "256K", steps),
        "alone": process(rubbish, [ALONE], "256K", steps) | {"threads": 4},
    }
    chosen = [0, *RIGHT[1:], *ARGUMENTS, NONE, *TOGETHER, ALONE]
    with boot_module({"system": "svm-processes", "board": "scc", "domains": domains}, icount=True, chosen=sorted(chosen)) as board:
        yield board


def test_runs_on_several_cores_count_and_compute_together(board: Board) -> None:
    """Beside those that do their worst."""
    for rank, core in enumerate(RIGHT):
        said(board, *line(core, "right", rf"svm: rank {rank} of {len(RIGHT)}: 0 wrong"), 300)


def test_each_argument_of_a_call_is_checked(board: Board) -> None:
    """And the kernel's copies reach what the process reaches, and nothing else."""
    for rank, core in enumerate(ARGUMENTS):
        said(board, *line(core, "arguments", rf"arguments: rank {rank}, 0 wrong"))
    said(board, *line(NONE, "none", "arguments: none, 0 wrong"))


def test_a_store_to_what_is_only_read_is_a_fault(board: Board) -> None:
    said(
        board, "kernel", rf"core {ARGUMENTS[0]}: .*domain arguments: fault: thread 0: page fault at image\+[0-9a-f]+, address de200000", 120
    )


@pytest.mark.timeout(0)
def test_processes_that_do_their_worst_to_shared_pages_harm_no_other(board: Board, full: bool) -> None:
    """Who does it alone gets through it; those that do it together may get wrong data, errors, or a fault of their own."""
    patience = 7200 if full else 600
    said(board, "kernel", rf"core {ALONE}: .*domain alone: done: exit status 0", patience)
    for core in TOGETHER:
        said(board, "kernel", rf"core {core}: .*domain together: (done|fault)", patience)
    test_runs_on_several_cores_count_and_compute_together(board)
    running = len(RIGHT) + len(ARGUMENTS) + 1 + len(TOGETHER) + 1
    assert re.search(rf"{running} of {CORES} kernels run", command(board, "kernels", 60))
    assert not re.search("FAULT|PANIC", board.kernel.text)
