# SPDX-License-Identifier: MIT
"""A guest on several cores of an SCC that changes its page tables on one and uses them on the others (guests/ring1/strongtables.c)."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

ROUNDS, SLOTS = 6, 8


def tables(cores: tuple[int, ...], words: str) -> dict[str, Any]:
    guest = {"kernel": "build:strongtables.elf", "memory": "2M", "strong": "256K", "ues": list(cores), "power": "board", "cmdline": words}
    return {"system": "tables", "board": "scc-strong", "domains": {"guest": guest}}


@pytest.mark.parametrize("cores", [pytest.param((0, 5), id="two"), pytest.param((0, 9, 46, 47), id="four", marks=pytest.mark.full)])
def test_a_table_that_one_vcpu_changes_holds_for_the_others(boot: Any, cores: tuple[int, ...]) -> None:
    with boot(tables(cores, "nothing"), icount=True, chosen=cores) as board:
        found = f"{len(cores)} vCPUs, {ROUNDS} rounds without nothing: {ROUNDS * SLOTS} mapped, {ROUNDS * SLOTS} copied, 0 wrong"
        said(board, "guest", rf"tables: {found}")


@pytest.mark.parametrize("left_out", ["forget", "generation"])
def test_what_is_not_forgotten_is_used_on(boot: Any, left_out: str) -> None:
    """The guest's own mistake: a vCPU keeps what it has translated."""
    with boot(tables((0, 5), left_out), icount=True, chosen=(0, 5)) as board:
        said(board, "guest", rf"tables: 2 vCPUs, .* without {left_out}: .* [1-9]\d* wrong")
