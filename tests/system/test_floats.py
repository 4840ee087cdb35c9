# SPDX-License-Identifier: MIT
"""What a process's new thread finds in its floating-point unit (user/programs/floats.c)."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.kernel import build_kernel
from support import said

SHAPES = {"q35": "process", "virt": "virt", "i586": "i586-process"}


@pytest.mark.parametrize("machine", SHAPES)
def test_a_thread_begins_with_zeros_and_its_creators_environment(boot: Any, machine: str) -> None:
    build_kernel(SHAPES[machine], lambda _text: None)
    domains = {"floats": {"kind": "process", "program": "build:floats.elf", "memory": "256K", "threads": 2}}
    memory = {} if machine == "virt" else {"memory": "64M"}
    with boot({"system": "floats", "board": machine, "cores": 1, **memory, "domains": domains}) as board:
        assert said(board, "floats", r"floats: (right|WRONG.*?)\r*\n", 120).group(1) == "right"
