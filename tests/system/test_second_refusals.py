# SPDX-License-Identifier: MIT
"""Processors that cannot do what the pc kernel needs, as Bochs models them: each is told why, and nothing resets."""

from __future__ import annotations

import time
from typing import Any

import pytest
from amalgam.board.console import SCALE
from support import said

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:prefixed.elf", "memory": "16M", "devices": [{"type": "uart"}]}
SYSTEM = {"system": "second-refusals", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}
NO_LONG_MODE = "this processor has no long mode (64 bits) with NX: this kernel cannot run on it"


@pytest.mark.parametrize(
    "cpu, why", [("turion64_tyler", "amdv: AMD-V is without nested paging"), ("athlon64_venice", "amdv: this processor has no AMD-V")]
)
def test_guests_are_refused_where_the_processor_cannot_host_them(boot: Any, cpu: str, why: str) -> None:
    with boot(SYSTEM, emulator="bochs", cpu=cpu) as board:
        said(board, "kernel", why)
        said(board, "kernel", "domain guest: could not start")


def test_a_processor_without_long_mode_gets_a_sentence(boot: Any) -> None:
    """On the first port: there is no kernel yet that could have a channel. It was a triple fault."""
    with boot(SYSTEM, emulator="bochs", cpu="atom_n270") as board:
        deadline = time.monotonic() + 60 * SCALE
        while not board.log.is_file() or NO_LONG_MODE not in board.log.read_text(errors="replace"):
            assert not board.ended() and time.monotonic() < deadline, board.ended()
            time.sleep(0.1)
