# SPDX-License-Identifier: MIT
"""Signals and alarms of a process's threads (tests/programs/signals.c, turns.c), and POSIX' signals (masks.c). Without icount: the program's threads poll for each other, and
its first slices are shorter than an emulator may need for a step."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

BOARDS = ["q35", "virt", "i586"]


@pytest.mark.parametrize("machine", BOARDS)
def test_signals_and_alarms_do_what_they_promise(boot: Any, machine: str) -> None:
    process = {"kind": "process", "program": "build:signals.elf", "memory": "256K", "threads": 3, "cores": [0, 1]}
    domains = {"signals": process | {"arguments": ["signals"]}, "stack": process | {"arguments": ["signals", "stack"]}}
    domains["turns"] = process | {"program": "build:turns.elf"}
    domains["contexts"] = process | {"program": "build:contexts.elf"}
    domains["masks"] = process | {"program": "build:masks.elf", "arguments": ["masks"]}
    memory = {} if machine == "virt" else {"memory": "64M"}
    with boot({"system": "signals", "board": machine, "cores": 2, **memory, "domains": domains}) as board:
        assert said(board, "signals", r"signals: (right|WRONG.*?)\r*\n", 120).group(1) == "right"
        said(board, "kernel", "domain signals: done: exit status 0")
        said(board, "turns", rf"own on each of 2, \d+ and \d+ switches{', AVX' if machine == 'q35' else ''}\r*\n")
        said(board, "turns", r"turns: (right|WRONG.*?)\r*\n")
        said(board, "contexts", r"contexts: (right)\r*\n")
        assert said(board, "masks", r"masks: (right|WRONG.*?)\r*\n", 120).group(1) == "right"
        said(board, "kernel", r"domain stack: fault: thread 1: no stack for a signal at image\+[0-9a-f]+, address [0-9a-f]+")
