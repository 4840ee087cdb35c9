# SPDX-License-Identifier: MIT
"""A program and a guest that share a core: neither finds the other's values in registers."""

from __future__ import annotations

from typing import Any

from support import says

SYSTEM = {
    "system": "registers",
    "board": "q35",
    "cores": 1,
    "memory": "128M",
    "domains": {
        "neighbour": {
            "boot": "pvh",
            "kernel": "build:checksum.elf",
            "cmdline": "mib=1 report=16",
            "memory": "16M",
            "devices": [{"type": "uart"}],
        },
        "steady": {"kind": "process", "program": "build:steady.elf", "memory": "128K", "threads": 2},
    },
}


def test_a_program_does_not_see_the_tsc_aux_of_a_guest(boot: Any) -> None:
    """And the guest, which looks at its own, has it back."""
    with boot(SYSTEM) as board:
        for _ in range(3):
            says(board, "neighbour", "checksum: round=")
            assert says(board, "steady", r"turns, processor (\d+)\r*\n")[1] == "0"
        says(board, "neighbour", "checksum: round=")
        assert "wrong" not in board["steady"].text and "registers of somebody else" not in board["neighbour"].text
