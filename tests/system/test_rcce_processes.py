# SPDX-License-Identifier: MIT
"""RCCE for processes of an SCC: the programs of test_rcce.py, unchanged, all at once on cores of their own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.scc import CORES
from amalgam.build.kernel import build_kernel
from amalgam.build.p54c import newer
from rcce_process import HERE, compiled, line, process
from support import said

PROGRAMS = ["functions", "gory", "ircce", "more", "names"]
UES = 5
REACH = {  # of reach.c, each on a core of its own: an address that its process must not reach so
    "write:de000000": 30,  # what it is told
    "read:de041000": 31,  # a buffer: that of a core which does not run it
    "read:de102000": 32,  # memory behind its own
    "read:80101000": 33,  # the kernel's addresses: a buffer,
    "write:80000000": 34,  # the words that kernels share,
    "write:100000": 35,  # and its image
    "write:de001010": 37,  # the numbers of kernels, which it reads,
    "read:de002000": 38,  # and the page behind them
}
ALONE = 47  # runs a program that has no memory of the chip


@pytest.fixture(scope="module", autouse=True)
def scc() -> Path:
    return build_kernel("scc-process", lambda _text: None)


def cores_of(program: str) -> list[int]:
    """Of all parts of the chip, and nobody else's."""
    return [PROGRAMS.index(program) + 6 * ue for ue in range(UES)]


@pytest.fixture(scope="module")
def board(boot_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    folder = tmp_path_factory.mktemp("programs")
    domains = {name: process(compiled(name, folder), cores_of(name), "a", "b") for name in PROGRAMS}
    domains["pingpong"] = process("build:rcce-pingpong.elf", [5, 36, 46], "5000", "3", shared="8K")
    reach = compiled("reach", folder)
    domains |= {f"r-{core}": process(reach, [core], *what.split(":"), shared="8K") | {"memory": "256K"} for what, core in REACH.items()}
    domains["alone"] = {"kind": "process", "program": "build:rcce-pingpong.elf", "ues": [ALONE], "memory": "256K"}
    with boot_module({"system": "rcce-processes", "board": "scc", "domains": domains}, icount=True) as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        yield board


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_application_runs_unchanged_as_a_process(board: Board, name: str) -> None:
    for ue, core in enumerate(cores_of(name)):
        said(board, *line(core, name, rf"UE {ue} of {UES}: 0 wrong"))


def test_messages_longer_than_the_buffer_arrive(board: Board) -> None:
    for ue in (1, 2):
        said(board, *line(5, "pingpong", rf"pingpong: UE {ue}, 3 times 5000 bytes and back, \d+ ns each way, 0 wrong"))


def test_who_has_no_memory_of_the_chip_is_told(board: Board) -> None:
    said(board, *line(ALONE, "alone", "rcce: the process has no memory of the chip: say 'shared: 64K' in the system file"))
    said(board, "kernel", rf"core {ALONE}: .*domain alone: done: exit status 127")


@pytest.mark.parametrize("what", REACH)
def test_a_process_reaches_its_own_part_of_the_chip_only(board: Board, what: str) -> None:
    """And no call gives it more."""
    core, (_how, address) = REACH[what], what.split(":")
    said(board, *line(core, f"r-{core}", "reach: 0 wrong"))
    said(board, "kernel", rf"core {core}: .*domain r-{core}: fault: thread 0: page fault at image\+[0-9a-f]+, address {address}\r*\n")
    assert "reach: still here" not in board.kernel.text


def test_nobody_else_noticed(board: Board) -> None:
    for core in sorted(core for name in PROGRAMS for core in cores_of(name))[1:]:
        said(board, "kernel", rf"core {core}: .*done: exit status 0")
    assert not re.search("FAULT|PANIC", board.kernel.text)


def test_cc_compiles_and_links_what_a_p54c_has(tmp_path: Path) -> None:
    cc = [paths.ROOT / "amalgam", "cc", "--rcce=process"]
    subprocess.run([*cc, "-O2", "-c", HERE / "names.c", "-o", tmp_path / "names.o"], check=True)
    subprocess.run([*cc, tmp_path / "names.o", "-o", tmp_path / "names"], check=True)
    assert newer(tmp_path / "names", 1000) == []
    done = subprocess.run(cc, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "was given no file" in done.stderr
