# SPDX-License-Identifier: MIT
"""Mail between the runs of a process on several cores of an SCC: the calls of kernel/api/scc.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.build.programs import compile_program, toolchain
from amalgam.errors import UserError
from rcce_process import HERE, MACHINE, line
from support import after, said, settled

ROUNDS, UES = 100, [6, 30, 41]


@pytest.fixture(scope="module")
def board(boot_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    made = tmp_path_factory.mktemp("programs") / "mail_wrong.elf"
    words = ["-O2", "-Wall", "-Werror", str(HERE / "mail_wrong.c"), "-o", str(made)]
    assert compile_program(words, toolchain(lambda _text: None, MACHINE), MACHINE) == 0
    one = {"kind": "process", "memory": "128K"}
    calls = one | {"program": str(made), "ues": [0], "threads": 2, "autostart": False}
    mail = one | {"program": "build:mail.elf", "shared": "4K"}
    system = {
        "system": "scc-mail",
        "board": "scc",
        "domains": {
            "mail": mail | {"arguments": ["mail", str(ROUNDS), *map(str, UES)], "ues": UES},
            "calls": calls | {"arguments": ["calls"], "ues": [0, 47], "shared": "4K"},
            "none": calls | {"arguments": ["none", "without"]},
        },
    }
    with boot_module(system, icount=True) as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up")
        yield board


def test_messages_between_its_runs_are_right_by_each_way_of_waiting(board: Board) -> None:
    said(board, *line(UES[0], "mail", rf"mail: {ROUNDS} messages to each of {len(UES) - 1} cores by each of three ways, 0 wrong"))
    said(board, *line(UES[0], "mail", rf"mail: 60 synchronous messages to each of {len(UES) - 1} cores"))
    for core in UES:
        said(board, "kernel", rf"core {core}: (?:\[\S+\] )?domain mail: done: exit status 0")


def test_each_argument_is_checked(board: Board) -> None:
    """Also: messages of one sender keep their order, two have room, one thread receives; and what a life has not read its next one does
    not find. The lives of `calls` take turns."""
    for life in (0, 1):
        text = after(board, "start calls", "calls", rf"mail_wrong: life {life}, (\d+) wrong", 60)
        assert text[1] == "0", board["calls"].text
        if life == 0:
            said(board, "kernel", "domain calls: done: exit status 0")
    command(board, "stop calls")
    assert settled(board, "calls")["state"] == "stopped"
    assert "woken" not in board["calls"].text


def test_who_has_no_memory_of_the_chip_has_no_mail(board: Board) -> None:
    assert after(board, "start none", "none", r"mail_wrong: life 0, (\d+) wrong", 60)[1] == "0", board["none"].text


def test_the_consoles_mail_does_not_reach_a_process(board: Board) -> None:
    """Nor does it take what is for one."""
    with pytest.raises(UserError, match="mail: -16"):
        command(board, "mail 17 3", 60)
