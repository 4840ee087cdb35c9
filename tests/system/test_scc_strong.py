# SPDX-License-Identifier: MIT
"""One guest in ring 1 whose vCPUs are on several cores of an SCC, each on another kernel, and whose memory is strong pages."""

from __future__ import annotations

from typing import Any

import pytest
from second import lets_into_virtual_8086_mode
from support import said

ROUNDS = 25  # TIMES of guests/ring1/strong.c


def system(*cores: int) -> dict[str, Any]:
    guest = {"kernel": "build:strong.elf", "memory": "2M", "strong": "1M", "ues": list(cores), "power": "board"}
    return {"system": "strong", "board": "scc-strong", "domains": {"guest": guest}}


@pytest.mark.parametrize("cores", [pytest.param((0, 5), id="two"), pytest.param((0, 9, 46, 47), id="four", marks=pytest.mark.full)])
def test_locked_sums_of_all_vcpus_are_right(boot: Any, cores: tuple[int, ...]) -> None:
    with boot(system(*cores), icount=True, chosen=cores) as board:
        n = len(cores) * ROUNDS
        said(board, "guest", rf"strong: {len(cores)} vCPUs, sums {n} {2 * n} {3 * n} of {n}, 0 wrong")
        for core in cores[1:]:
            said(board, "kernel", rf"core {core}: (?:\[\S+\] )?domain guest: power-off: the guest powered off")


@pytest.mark.parametrize(
    ("words", "end"), [("exception", "virtual 8086 mode, which it does not have"), ("round", "its registers cannot be loaded")]
)
def test_virtual_8086_mode_ends_it_as_any_guest_in_ring_1(boot: Any, words: str, end: str) -> None:
    guest = {"kernel": "build:vm86.elf", "memory": "2M", "strong": "4K", "ues": [0], "power": "board", "cmdline": words}
    with boot({"system": "strong", "board": "scc-strong", "domains": {"guest": guest}}, icount=True, chosen=(0,)) as board:
        why = end if lets_into_virtual_8086_mode() else "triple fault: it has no handler"
        said(board, "kernel", f"domain guest: fault: vcpu 0: {why}")
