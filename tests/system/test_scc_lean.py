# SPDX-License-Identifier: MIT
"""The lean kernel of an SCC's cores: a program in kernel space with message passing, without tasks, mailbox and shared virtual memory."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.monitor import command
from amalgam.errors import UserError
from amalgam.kernel import build_kernel
from support import said

CHOSEN = (0, 5, 47)
PROGRAM = {"kind": "native", "program": "build:pingpong.elf", "arguments": ["pingpong", "32", "10"], "ues": list(CHOSEN), "memory": "256K"}
SYSTEM = {"system": "scc-lean", "board": "scc", "domains": {"pingpong": PROGRAM}}


def test_messages_go_between_lean_kernels(boot: Any) -> None:
    kernel = build_kernel("scc-lean", lambda _text: None)
    with boot(SYSTEM, icount=True, chosen=CHOSEN, kernel=kernel) as board:
        for ue in range(1, len(CHOSEN)):
            said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong", 60)
        for core in CHOSEN[1:]:
            said(board, "kernel", rf"core {core}: .*domain pingpong: done: exit status 0", 60)
        with pytest.raises(UserError, match="refused"):  # the whole kernel has this command
            command(board, "mail 5 1")
