# SPDX-License-Identifier: MIT
"""Processes on some of an SCC's 48 cores: they run where the system says, and what one does wrong ends that one only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.artifacts.machines import MACHINES
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.build.p54c import newer
from amalgam.build.programs import made_program
from support import listed, said

WRONG = {  # of user/programs/fault.c, each on a core of its own
    "null": (17, r"page fault at image\+[0-9a-f]+, address 0"),
    "text": (18, r"page fault at image\+[0-9a-f]+, address c0001[0-9a-f]+"),
    "jump": (20, r"page fault at \S+, address 0"),
    "privileged": (0, r"general protection at image\+[0-9a-f]+, address 0"),
}
PARTNERS = (0, 4, 16, 17, 46)  # of a native program
STRAY = 40  # asks the kernel to read where it has no memory
TALK = 22  # runs both ends of a tunnel; the core behind it runs one


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    made = yaml.safe_load((paths.SYSTEMS / "scc-processes.yaml").read_text(encoding="utf-8"))
    process = {"kind": "process", "memory": "64K"}
    for what, (core, _end) in WRONG.items():
        made["domains"][f"f-{what}"] = process | {"program": "build:fault.elf", "arguments": ["fault", what], "ues": [core]}
    made["domains"]["stray"] = process | {"program": "build:stray.elf", "arguments": ["stray", str(512 << 10), "1000"], "ues": [STRAY, 0]}
    tunnel = process | {"program": "build:tunnel.elf"}
    made["domains"]["ping"] = tunnel | {"arguments": ["tunnel", "ping", "0", "50", "64", "1"], "ues": [TALK]}
    made["domains"]["pong"] = tunnel | {"arguments": ["tunnel", "pong"], "ues": [TALK, TALK + 1]}
    made["channels"] = [{"name": "talk", "between": ["ping", "pong"], "size": "4K"}]
    with boot_module(made, icount=True) as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        yield board


def line(core: int, text: str) -> str:
    return text if core == 0 else rf"core {core}: (?:\[\S+\] )?{text}"


def test_a_process_runs_on_the_cores_that_the_system_names_and_on_no_other(board: Board) -> None:
    for core in (5, 47):
        said(board, "kernel", line(core, r"pi is about 3\.141593"))
        said(board, "kernel", line(core, r"domain hello: done: exit status 0"))
    assert sorted(re.findall(r"core (\d+): hello: domain \d+, 3 arguments", board.kernel.text)) == ["47", "5"]
    command(board, "start hello")
    row = listed(board, "hello")
    assert (row["state"], row["end"]) == ("stopped", "stopped: it runs on other cores")


@pytest.mark.parametrize("what", WRONG)
def test_a_fault_ends_its_process_only(board: Board, what: str) -> None:
    """The kernel of its core says who, where and why."""
    core, why = WRONG[what]
    said(board, "kernel", line(core, rf"domain f-{what}: fault: thread 0: {why}"))
    assert "still here" not in board.kernel.text + board[f"f-{what}"].text


def test_who_computes_beside_them_is_right(board: Board) -> None:
    """Core 17's process has died of a bad pointer."""
    for ue in range(1, 5):
        said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong")
    for ue in (1, 2):
        said(board, "kernel", line(6, rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong"))
    for core in PARTNERS:
        said(board, "kernel", line(core, "domain pingpong: done: exit status 0"))
    assert not re.search("FAULT|PANIC", board.kernel.text)


def test_a_copy_that_fails_is_an_error_for_its_process(board: Board) -> None:
    said(board, "kernel", line(STRAY, r"stray: 0 of 1000 reads were answered"))
    said(board, "stray", "stray: 0 of 1000 reads were answered")


def test_two_processes_of_one_core_talk_by_a_tunnel(board: Board) -> None:
    """Its memory lies behind what a process reaches of the chip. Where only one end runs there is no channel to give, and no complaint."""
    said(board, "kernel", line(TALK, r"tunnel: pong at 0xdf000000, 4096 bytes, rights 3"))
    said(board, "kernel", line(TALK, r"tunnel: right after 50 rounds, \d+ of them answered by a ring"))
    said(board, "kernel", line(TALK, r"domain ping: done: exit status 0"))
    assert "cannot be given" not in board.kernel.text


def test_its_programs_have_no_instruction_beyond_a_p54c(board: Board) -> None:
    for name in ("hello", "fault", "stray"):
        assert newer(made_program(name, MACHINES["i386"]), 100) == []
