# SPDX-License-Identifier: MIT
"""A program and a guest that share a core: neither finds the other's values in registers, by AMD-V and by VT-x."""

from __future__ import annotations

from typing import Any

import pytest
from second import EMULATOR, MAKERS
from support import said, says

GUEST = {"boot": "pvh", "memory": "16M", "devices": [{"type": "uart"}]}
STEADY = {"kind": "process", "program": "build:steady.elf", "memory": "128K", "threads": 2}
CHECKSUM = GUEST | {"kernel": "build:checksum.elf", "cmdline": "mib=1 report=16"}
ROUNDS = 50


def on_one_core(name: str, board: str, domains: dict[str, Any]) -> dict[str, Any]:
    return {"system": name, "board": board, "cores": 1, "memory": "128M", "domains": domains}


@pytest.mark.parametrize("board", MAKERS)
def test_a_program_does_not_see_the_tsc_aux_of_a_guest(boot: Any, board: str) -> None:
    """And the guest, which looks at its own, has it back."""
    with boot(on_one_core("registers", board, {"neighbour": CHECKSUM, "steady": STEADY}), emulator=EMULATOR[board]) as b:
        for _ in range(3):
            says(b, "neighbour", "checksum: round=")
            assert says(b, "steady", r"turns, processor (\d+)\r*\n")[1] == "0"
        says(b, "neighbour", "checksum: round=")
        assert "wrong" not in b["steady"].text and "registers of somebody else" not in b["neighbour"].text


@pytest.mark.parametrize("board", MAKERS)
def test_a_guest_keeps_the_msrs_of_system_calls_and_a_program_finds_no_segment_of_it(boot: Any, board: str) -> None:
    """STAR and its kin are the kernel's while a program has the core. An exit of VT-x leaves a table of 64 KiB behind that has the guests' values in it."""
    marks = {f"r{mark}": GUEST | {"kernel": "build:registers.elf", "cmdline": f"mark={mark} armed=0 rounds=100"} for mark in (1, 2, 3)}
    selectors = {"kind": "process", "program": "build:selectors.elf", "memory": "128K", "arguments": ["selectors", str(ROUNDS)]}
    with boot(on_one_core("selectors", board, marks | {"steady": STEADY, "selectors": selectors}), emulator=EMULATOR[board]) as b:
        said(b, "selectors", rf"selectors: {ROUNDS} rounds, 0 wrong\r*\n")
        for mark in marks:
            said(b, mark, rf"registers: mark={mark[1:]} ok, 2\d registers, 100 rounds\r?\n")
        says(b, "steady", r"turns, processor 0\r*\n")
        assert "wrong" not in b["steady"].text
