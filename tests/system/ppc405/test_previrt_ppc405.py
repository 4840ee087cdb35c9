# SPDX-License-Identifier: MIT
"""The same Linux image, unmodified and pre-virtualized: both boot, and say the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def system(previrt: bool) -> dict[str, Any]:
    linux = {"kernel": "linux40x:vmlinux", "memory": "16M", "cmdline": "console=ttyS0,115200", "previrt": previrt}
    return {"system": f"previrt-{int(previrt)}", "board": "ref405ep", "domains": {"linux": linux}}


def boot(fleet: Callable[..., Any], previrt: bool, **fields: Any) -> list[str]:
    """What it says until it looks for an init, without times and figures of memory."""
    with fleet(system(previrt), **fields) as board:
        board["linux"].expect(r"Run /sbin/init as init process\r?\n", 120)
        said = board["linux"].text[: board["linux"].position]  # on a busy machine more has come by now
        lines = [re.sub(r"^\[ *[\d.]+\] ", "", line) for line in said.replace("\r", "").split("\n")[:-1]]
        return [line for line in lines if line and not re.search(r"Memory:|memblock|mem auto-init|BogoMIPS|Zone|DMA|Normal|node|\dk", line)]


@pytest.mark.board
def test_linux_boots_pre_virtualized_as_it_does_unmodified(fleet: Callable[..., Any]) -> None:
    plain, patched = boot(fleet, False), boot(fleet, True)
    assert len(plain) > 20
    assert [line for line in plain if line not in patched] == []


@pytest.mark.board
@pytest.mark.parametrize("previrt", [False, True])
def test_linux_boots_on_a_kernel_without_the_short_ways(fleet: Callable[..., Any], previrt: bool, without_fast: Path) -> None:
    """CONFIG_FAST makes it faster and nothing else."""
    boot(fleet, previrt, kernel=without_fast)
