# SPDX-License-Identifier: MIT
"""The clocks of the critical path over interrupts of the local APIC: a ring sets the clock of the core that a marker has named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

RANG_0, TOOK, BEFORE, AFTER, RANG_1 = 1, 2, 3, 4, 5  # marks of bells.c
HANDLER = 7  # rung_entry's instructions up to IRET
WORK = 9999
Checker = Callable[..., Any]


def marks(checked: Checker, variant: str, cores: int) -> dict[int, Any]:
    run = checked("i386", "bells", variant, ("nc=200000:210000",), cores=cores, body="i386/bells.c")
    assert run.places() == []
    return {mark.number: mark for mark in run.found.marks}


@pytest.mark.parametrize(("variant", "cores"), [("PAIR", 2), ("NAMED", 3), ("UNNAMED", 3), ("NESTED", 3)])
def test_who_is_rung_takes_the_later_clock(checked: Checker, variant: str, cores: int) -> None:
    found = marks(checked, variant, cores)
    assert found[TOOK].own < found[RANG_0].own  # it had less to do
    assert found[TOOK].path == found[RANG_0].path + HANDLER


def test_who_is_not_rung_keeps_its_clock(checked: Checker) -> None:
    found = marks(checked, "NAMED", 3)
    assert found[AFTER].path < found[RANG_0].path
    assert found[AFTER].path - found[AFTER].own == found[BEFORE].path - found[BEFORE].own


def test_a_ring_without_a_name_is_for_all(checked: Checker) -> None:
    found = marks(checked, "UNNAMED", 3)
    assert found[AFTER].path == found[RANG_0].path  # it took it at its last instruction before the mark


def test_the_latest_name_belongs_to_the_next_ring(checked: Checker) -> None:
    found = marks(checked, "NESTED", 3)
    assert found[RANG_1].path + WORK < found[RANG_0].path
    assert found[RANG_1].path < found[AFTER].path < found[RANG_1].path + WORK
