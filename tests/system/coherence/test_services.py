# SPDX-License-Identifier: MIT
"""The clocks of a core that is interrupted to serve another one: the service waits for who asked, the core's work does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

BEFORE, AFTER, BEGIN, END, HAS, ANSWERED, ASKED_1, ASKED_2, READ = range(1, 10)  # marks of services.c
ENTRY = 1  # PUSHA, before the service is said to begin: nobody knows when an interrupt came, but of a core that slept
Checker = Callable[..., Any]


def marks(checked: Checker, variant: str) -> dict[int, list[Any]]:
    """Of each number, in the order of execution."""
    words = ("uc=200000:210000", "flag=200000:210000")
    run = checked("i386", "services", variant, words, cores=3 if variant == "TWO" else 2, body="i386/services.c")
    assert run.places() == []
    found: dict[int, list[Any]] = {}
    for mark in run.found.marks:
        found.setdefault(mark.number, []).append(mark)
    assert found[END][0].own - found[BEGIN][0].own > 500
    return found


def lead(mark: Any) -> int:
    return mark.path - mark.own


@pytest.mark.parametrize("variant", ["WORKS", "AHEAD", "SLEEPS", "READS", "LEAVES", "TWO"])
def test_work_is_delayed_by_the_length_of_services_alone(checked: Checker, variant: str) -> None:
    found = marks(checked, variant)
    length = sum(end.own - begin.own for begin, end in zip(found[BEGIN], found[END], strict=True))
    assert found[AFTER][0].own > found[BEFORE][0].own + length
    assert lead(found[AFTER][0]) == lead(found[BEFORE][0]) == 0


@pytest.mark.parametrize("variant", ["WORKS", "AHEAD", "AWAITS", "SLEEPS", "SLEEPS_AWAITS", "ANSWERS"])
def test_a_service_begins_when_it_was_asked_for(checked: Checker, variant: str) -> None:
    found = marks(checked, variant)
    assert found[BEGIN][0].path == found[ASKED_1][0].path + (ENTRY if "SLEEPS" in variant else 0)
    assert lead(found[BEGIN][0]) == lead(found[END][0])
    assert found[READ][0].path == found[ANSWERED][0].path  # who asked has waited for it


def test_work_that_is_ahead_holds_up_no_service(checked: Checker) -> None:
    found = marks(checked, "AHEAD")
    assert found[END][0].path < found[BEFORE][0].path


@pytest.mark.parametrize("variant", ["AWAITS", "SLEEPS_AWAITS"])
def test_work_that_waits_goes_on_from_the_services_end(checked: Checker, variant: str) -> None:
    found = marks(checked, variant)
    assert lead(found[AFTER][0]) == lead(found[END][0])


@pytest.mark.parametrize("variant", ["READS", "LEAVES"])
def test_a_service_waits_for_what_it_takes_from_the_work(checked: Checker, variant: str) -> None:
    """A value that the work wrote, or a page: not before the work's last access."""
    found = marks(checked, variant)
    assert found[BEGIN][0].path < found[BEFORE][0].path == found[HAS][0].path


def test_work_waits_for_what_it_reads_of_a_service(checked: Checker) -> None:
    found = marks(checked, "ANSWERS")
    assert found[AFTER][0].path == found[ANSWERED][0].path


def test_a_core_serves_one_after_the_other(checked: Checker) -> None:
    found = marks(checked, "TWO")
    assert found[ASKED_2][0].path < found[ASKED_1][0].path == found[BEGIN][0].path
    assert found[BEGIN][1].path == found[END][0].path
