# SPDX-License-Identifier: MIT
"""Kernels without components host guests that do not need them: what the footprint's rows count is a hypervisor."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.fleet import FleetBoard
from amalgam.build.kernel import build_kernel
from guests405 import guest_elf

MARK, TICKS = b"QUIET!!!", 20


def system(cores: int, **guest: Any) -> dict[str, Any]:
    quiet = {"kernel": str(guest_elf("quiet")), "memory": "1M", "power": "board", **guest}
    pooled = {**quiet, "cores": list(range(cores))}
    frames = [
        {
            "core": 0,
            "length": "4ms",
            "windows": [{"domain": "bound", "start": 0, "length": "2ms"}, {"domain": "any", "start": "2ms", "length": "2ms"}],
        }
    ]
    return {"system": "quiet", "board": "ref405ep", "cores": cores, "domains": {"bound": quiet, "a": pooled, "b": pooled}, "frames": frames}


def left(board: FleetBoard) -> list[tuple[int, int]]:
    """What each guest counted: interrupts, wrong values; one whose memory still is as it was loaded counted none."""
    assert board.ram
    found, at = [], -1
    while (at := board.ram.find(MARK, at + 1)) >= 0:
        if at >= 0x01000000:  # the guests' memory; below it is the image
            found.append(struct.unpack_from(">II", board.ram, at + len(MARK)))
    return found


@pytest.mark.parametrize("shape", ["ppc405-base", "ppc405-paper", "ppc405"])
@pytest.mark.parametrize("cores", [1, 2])
def test_guests_run_by_interrupts_and_traps(fleet: Callable[..., Any], shape: str, cores: int) -> None:
    with fleet(system(cores), kernel=build_kernel(shape, lambda _text: None)) as board:
        board.wait(60)
        assert left(board) == [(TICKS, 0)] * 3


@pytest.mark.parametrize("shape", ["ppc405-base", "ppc405-paper"])
def test_a_guest_that_touches_what_nobody_has_stops(fleet: Callable[..., Any], shape: str) -> None:
    build_kernel(shape, lambda _text: None)
    with fleet(system(1, cmdline="touch=0xef600300"), kernel=paths.kernel_elf(shape)) as board:
        board.wait(60)
        assert left(board) == [(TICKS, 0)] * 3
