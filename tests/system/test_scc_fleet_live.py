# SPDX-License-Identifier: MIT
"""The scc-fleet board: four cores of one fleet boot, see their own memory, and share the rest (docs/scc.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import command
from amalgam.board.scc_fleet import SccFleetBoard
from amalgam.build.kernel import build_kernel
from jacobi_on_pages import solved
from scc_fleets import CHOSEN, JACOBI, of
from support import said


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[SccFleetBoard]:
    with boot_module(of(JACOBI), chosen=CHOSEN) as board:
        said(board, "kernel", rf"scc: all {len(CHOSEN)} kernels are up")
        yield board


def test_each_chosen_core_boots_in_an_emulator_of_its_own(board: SccFleetBoard) -> None:
    assert board.alive() == list(CHOSEN)
    command(board, "kernels")
    rows = re.findall(r"^(?: +-?\d\d){12}\r?$", board.kernel.text, re.MULTILINE)[-4:]
    assert sorted(word for row in rows for word in row.split() if word[0] != "-") == [f"{core:02}" for core in CHOSEN]
    for core in CHOSEN[1:]:
        said(board, "kernel", rf"core {core}: scc: tile {core // 2}, memory from 0 of the board's")


def test_an_emulator_has_its_own_cores_memory_and_the_shared_one_and_no_other(board: SccFleetBoard) -> None:
    for core in CHOSEN:
        process = board.nodes[core].process
        assert process
        maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        assert set(re.findall(r"memfd:amalgam-(\w+)", maps)) == {f"core{core}", "shared"}
        files = [str(file.readlink()) for file in Path(f"/proc/{process.pid}/fd").iterdir()]
        assert {name for name in files if "memfd:amalgam" in name} == {
            f"/memfd:amalgam-{name} (deleted)" for name in (f"core{core}", "shared")
        }


def test_messages_go_to_each_kernel_and_back(board: SccFleetBoard) -> None:
    for core in CHOSEN[1:]:
        command(board, f"mail {core} 100")
        for how in ("interrupt", "polling", "either"):
            said(board, "kernel", rf"mail to core {core} and back, 100 times by {how}: at least \d+ ticks")


def test_jacobi_on_shared_pages_is_equal_to_the_bit_across_processes(board: SccFleetBoard) -> None:
    solved(board, CHOSEN)
