# SPDX-License-Identifier: MIT
"""Some of an SCC's cores: who is chosen boots, and what happens to one kernel is told by core 0 and touches no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.board.scc import SccMachine
from amalgam.build.kernel import build_kernel
from amalgam.build.p54c import newer
from amalgam.errors import UserError
from support import said

CHOSEN = (0, 5, 47)
SYSTEM = {
    "system": "scc-faults",
    "board": "scc",
    "domains": {
        "reader": {"kind": "task", "task": "fault", "cores": [0]},
        "grower": {"kind": "task", "task": "overflow", "cores": [0]},
        "jacobi": {"kind": "task", "task": "jacobi", "cores": [0]},
        "talker": {"kind": "task", "task": "context-switch", "cores": [0], "priority": 4},
    },
}


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="module")
def some(boot_module: Any) -> Iterator[Board]:
    with boot_module(SYSTEM, icount=True, chosen=CHOSEN) as board:
        said(board, "kernel", "scc: all 3 kernels are up")
        yield board


def test_the_chosen_cores_boot_and_no_other(some: Board) -> None:
    command(some, "kernels")
    rows = re.findall(r"^(?: +-?\d\d){12}\r?$", some.kernel.text, re.MULTILINE)[-4:]
    words = [word for row in rows for word in row.split()]
    assert sorted(word for word in words if word[0] != "-") == ["00", "05", "47"]
    assert len(words) == 48


@pytest.mark.parametrize("core", [5, 47])
def test_a_fault_on_another_core_is_told_with_its_backtrace(some: Board, core: int) -> None:
    tag = rf"core {core}: (?:\[amalgam\] )?"
    said(some, "kernel", rf"{tag}domain reader: fault: page fault in thread reader")
    said(some, "kernel", rf"{tag}FAULT: page fault")
    said(some, "kernel", rf"{tag}\s*[0-9a-f]+ read_nowhere\+0x")
    said(some, "kernel", rf"{tag}\s*[0-9a-f]+ context_start\+0x")
    said(some, "kernel", rf"{tag}domain grower: fault: kernel stack overflow in thread grower")


@pytest.mark.parametrize("core", [5, 47])
def test_what_a_kernel_says_is_complete_though_it_is_more_than_its_ring_holds(some: Board, core: int) -> None:
    """2,000 gaps in some 20 KiB: the writer waits for room, and core 0 rings when there is some."""
    said(some, "kernel", rf"core {core}: .*bench context-switch yield-max \d+")
    gaps = re.findall(rf"core {core}: .*gaps context-switch (\w+) (\d+)((?: \d+){{8}})", some.kernel.text)
    assert [(phase, int(at)) for phase, at, _ in gaps] == [(phase, at) for phase in ("hourglass", "yield") for at in range(0, 2000, 8)]
    assert re.search(rf"core {core}: .*bench jacobi error-e9-0 (\d+)", some.kernel.text)


def test_mail_to_a_core_without_a_kernel_is_refused(some: Board) -> None:
    for line in ("mail 9 1", "mail 0 1", "mail 48 1", "mail 5 0", "mail 5 1001", "mail x"):
        with pytest.raises(UserError, match="refused"):
            command(some, line)
    command(some, "mail 47 1000")
    said(some, "kernel", r"mail to core 47 and back, 1000 times by either: at least \d+ ticks")


def test_the_kernel_has_no_instruction_beyond_a_p54c(scc: Path) -> None:
    assert newer(scc) == []


def test_core_0_must_be_chosen(scc: Path) -> None:
    with pytest.raises(UserError, match="core 0 starts the others"):
        SccMachine(kernel=scc, chosen=(1, 2), program="qemu-system-i386").command()
