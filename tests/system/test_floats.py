# SPDX-License-Identifier: MIT
"""What a process's new thread finds in its floating-point unit (tests/programs/floats.c)."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

BOARDS = ["q35", "virt", "i586"]


@pytest.mark.parametrize("machine", BOARDS)
def test_a_thread_begins_with_zeros_and_its_creators_environment(boot: Any, machine: str) -> None:
    domains = {"floats": {"kind": "process", "program": "build:floats.elf", "memory": "256K", "threads": 2}}
    memory = {} if machine == "virt" else {"memory": "64M"}
    with boot({"system": "floats", "board": machine, "cores": 1, **memory, "domains": domains}) as board:
        assert said(board, "floats", r"floats: (right|WRONG.*?)\r*\n", 120).group(1) == "right"
