# SPDX-License-Identifier: MIT
"""Tasks in the kernel itself, near bare metal, beside a guest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import command
from second import BOCHS, SLOW
from support import listed, said, says


@pytest.fixture(scope="module", params=BOCHS)
def native(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    system = yaml.safe_load((paths.SYSTEMS / "native.yaml").read_text(encoding="utf-8"))
    system["domains"]["guest"]["cmdline"] = "mib=1 report=8"
    with boot_module(system, emulator=request.param, **SLOW[request.param]) as board:
        yield board


def test_a_guest_runs_beside_native_tasks(native: Board) -> None:
    """First of all: on Bochs, where each core's instructions are the host's time, it need not compute until all the others have ended."""
    says(native, "guest", "checksum: round=")
    command(native, "stop guest")
    assert listed(native, "guest")["state"] == "stopped"


def test_two_tasks_switch(native: Board) -> None:
    said(native, "switch", r"bench context-switch yield-max \d+")
    text = native["switch"].text
    for phase in ("hourglass", "yield"):
        low, middle = (int(re.search(rf"bench context-switch {phase}-{row} (\d+)", text)[1]) for row in ("min", "median"))  # type: ignore[index]
        assert 0 < low <= middle
        assert len(re.findall(rf"gaps context-switch {phase} \d+( \d+){{8}}", text)) == 250


@pytest.mark.parametrize("name", ["jacobi", "jacobi2"])
def test_floating_point_survives_switches(native: Board, name: str) -> None:
    """Two solvers share a core: each must find the solution, to the nanounit, in as many steps as the other."""
    assert int(said(native, name, r"bench jacobi error-e9-0 (\d+)")[1]) < 1000
    steps = {int(said(native, other, r"bench jacobi iterations-0 (\d+)")[1]) for other in ("jacobi", "jacobi2")}
    assert len(steps) == 1
