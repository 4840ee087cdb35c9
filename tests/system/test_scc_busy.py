# SPDX-License-Identifier: MIT
"""Core 0, whose kernel prints what the others say, has other work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rcce_process import compiled
from rcce_process import process as rcce_process
from support import said
from test_scc_processes import line


@pytest.mark.parametrize("busy", ["spin", "waits"])
def test_what_other_kernels_say_appears_beside_a_busy_core_0(boot: Any, tmp_path: Path, busy: str) -> None:
    """A process computes there, or looks in a barrier of RCCE whether others have come, who compute; core 47 does neither."""
    process = {"kind": "process", "memory": "64K"}
    domains = {
        "spin": process | {"program": "build:spin.elf", "ues": [0]},
        "hello": process | {"program": "build:hello.elf", "ues": [47]},
    }
    if busy == "waits":
        domains["spin"] = rcce_process(compiled("waits", tmp_path), [0, 17])
    with boot({"system": "scc-busy", "board": "scc", "domains": domains}, icount=True, chosen=(0, 17, 47)) as board:
        said(board, "spin", "spin: begins" if busy == "spin" else "waits: UE 0")
        said(board, "kernel", line(47, r"pi is about 3\.141593"))
        said(board, "kernel", line(47, "domain hello: done: exit status 0"))
