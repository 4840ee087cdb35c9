# SPDX-License-Identifier: MIT
"""A guest has as much memory as it was given, the machine's in however many pieces; the emulator's host backs what is used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.shell import await_shell, run_command

GIB_KB = 1 << 20


def peak(board: Board) -> int:
    """The most that the emulator has used, in KiB."""
    assert board._process
    match = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{board._process.pid}/status").read_text())
    assert match
    return int(match[1])


def with_memory(gib: int) -> dict[str, Any]:
    """A Linux alone on a board that is not much larger: the board's memory is in two pieces, of 2 GiB and the rest."""
    linux = {"kernel": "debian:vmlinuz", "initrd": "debian:initrd", "cmdline": "console=ttyS0 quiet", "memory": f"{gib}G"}
    return {
        "system": f"gib{gib}",
        "board": "q35",
        "cores": 1,
        "memory": f"{gib * 1024 + 256}M",
        "domains": {"linux": linux | {"devices": [{"type": "uart"}], "power": "board"}},
    }


@pytest.mark.parametrize(
    ("gib", "touched", "most"), [(3, 0, 2), (6, 0, 2), pytest.param(40, 1, 4, marks=[pytest.mark.full, pytest.mark.timeout(10800)])]
)
def test_all_of_it_is_the_guests_and_what_it_leaves_alone_costs_nothing(boot: Any, gib: int, touched: int, most: int) -> None:
    with boot(with_memory(gib)) as board:
        await_shell(board["linux"], 300 if gib < 40 else 1500)
        said, _ = run_command(board["linux"], "cat /proc/meminfo", 60)
        match = re.search(r"MemTotal:\s*(\d+) kB", said)
        assert match
        total = int(match[1])
        assert gib * GIB_KB * 0.95 < total < gib * GIB_KB
        if touched:
            said, status = run_command(board["linux"], f"dd if=/dev/zero of=/big bs=1M count={touched * 1024} && wc -c /big", 900)
            assert (status, f"{touched << 30} /big" in said) == (0, True), said
        print(f"\nMemTotal {total} kB, the emulator used {peak(board)} kB at most")
        assert peak(board) < most * GIB_KB
