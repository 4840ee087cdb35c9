# SPDX-License-Identifier: MIT
"""A kernel of an SCC writes rubbish into every word that kernels share: the others end with errors and do not hang, and none faults."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.artifacts import rcce
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.build.natives import compile_program, toolchain
from amalgam.errors import UserError
from support import said

CORES, WRECK = (0, 1, 2, 3, 17), 17
AREAS = (-1, 0, 1, 2, 3, 4)  # of wreck.c; -1: all
TEXT = (-1, 0, 1)  # areas with rings of text: what others say may be lost
SEEDS = (4, 7, 8, 11)
END = "domain jacobi: (?:done|fault)"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    made = folder / "wreck.elf"
    headers = [f"-I{paths.ROOT / 'user' / 'rcce'}", *rcce.kernel_words(folder)]
    words = ["-O2", "-Wall", "-Werror", *headers, str(Path(__file__).parent / "rcce" / "wreck.c"), "-o", str(made)]
    assert compile_program(words, toolchain(lambda _text: None)) == 0
    return made


def system(program: Path, *numbers: int) -> dict[str, Any]:
    wreck = {"kind": "native", "program": str(program), "arguments": ["wreck", *map(str, numbers)], "ues": [WRECK]}
    return {"system": "scc-wreck", "board": "scc", "domains": {"wreck": wreck, "jacobi": {"kind": "task", "task": "svm", "cores": [0]}}}


def answered(board: Board, line: str) -> str:
    """An answer, be it an error."""
    try:
        return command(board, line, 60)
    except UserError as error:
        return str(error)


def bears(boot: Any, program: Path, seed: int) -> None:
    """Jacobi's iteration on shared memory begins with the board: before, in and after it there are bursts of rubbish."""
    area, begin = AREAS[seed % 6], (0, 4, 8, 14, 22, 30)[seed * 5 // 6 % 6]
    with boot(system(program, seed, 1 + seed % 8, (8, 100, 1000)[seed % 3], area, begin), icount=True, chosen=CORES) as board:
        said(board, "kernel", rf"^{END}")
        for core in () if area in TEXT else CORES[1:-1]:
            said(board, "kernel", rf"core {core}: .*{END}")
        for core in CORES[1:-1]:
            assert re.search(rf"mail to core {core} and back, 3 times by either|mail: -\d+", answered(board, f"mail {core} 3"))
        assert re.search(r"\d+ of \d+ kernels run", answered(board, "kernels"))
        for where in re.findall(r"FAULT: .*\s+on cpu 0, (.*)", board.kernel.text):
            assert "domain jacobi" in where  # an access whose page has no owner is the error of its task
        assert "PANIC" not in board.kernel.text


@pytest.mark.parametrize("seed", SEEDS)
def test_rubbish_in_all_shared_words_makes_errors_and_no_hang(boot: Any, program: Path, seed: int) -> None:
    bears(boot, program, seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(12, 72))
def test_more_rubbish_makes_errors_and_no_hang(boot: Any, program: Path, full: bool, seed: int) -> None:
    bears(boot, program, seed)
