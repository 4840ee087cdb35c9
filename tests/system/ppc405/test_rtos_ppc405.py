# SPDX-License-Identifier: MIT
"""One RTOS, three lives: on the bare board, unmodified as a guest, and paravirtualized; the same tasks do the same work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

LAST = r"rtos: t=2 s steps=(\d+) samples=(\d+) disorder=(\d+) .* missed=(\d+) .*\n.*rtos: done speed=(\d+)\r?\n"


def system(build: str, **more: Any) -> dict[str, Any]:
    rt = {"kernel": f"build:rtos-{build}.elf", "memory": "2M", "cmdline": "seconds=2", "power": "board"} | more
    return {"system": f"rtos-{build}", "board": "ref405ep", "domains": {"rt": rt}}


def judge(console: Any) -> None:
    steps, samples, disorder, missed, speed = (int(n) for n in console.expect(LAST, 60).groups())
    assert disorder == 0
    assert samples >= 198  # more if the host was away when the line was due
    assert steps + missed >= 200  # a period of 5 ms; a host that is busy elsewhere swallows some
    assert abs(speed - 1000) <= 5


@pytest.mark.board
def test_on_the_bare_board(native: Callable[..., Any]) -> None:
    with native(system("native")) as board:
        judge(board.console)


@pytest.mark.board
@pytest.mark.parametrize("build", ["native", "para"])
def test_as_a_guest(fleet: Callable[..., Any], build: str) -> None:
    with fleet(system(build, **({"irfm": True, "hypercalls": True} if build == "para" else {}))) as board:
        judge(board["rt"])
