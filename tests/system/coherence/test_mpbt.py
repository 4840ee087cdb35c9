# SPDX-License-Identifier: MIT
"""The SCC's memory types under the checker: what a drain, CL1INVMB and a flush of the L2 are for; and the clock of the critical path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ROUNDS, WORDS, LINE_WORDS = 3, 32, 8
Checker = Callable[..., Any]
MPBT, L2 = "mpbt=200000:210000", "l2=200000:210000"
BELL = ("consume", "data-load", "produce", "data-store")
FLAG = ("consume_polled", "flag-load", "produce_polled", "flag-store")
LAST_LINE = [("unflushed", ROUNDS * LINE_WORDS, *BELL)]  # the others were drained by the store to the next one


@pytest.mark.parametrize(
    ("variant", "word", "expected"),
    [
        ("RIGHT", MPBT, []),
        ("POLLED", MPBT, []),
        ("PARTS", MPBT, []),
        ("L2_WHOLE", L2, []),
        ("MARKED", L2, []),
        ("RIGHT", "vtype=mpbt:200000:201000", []),
        ("NO_DRAIN", MPBT, LAST_LINE),
        ("NO_DRAIN", "vtype=mpbt:200000:201000", LAST_LINE),
        ("MARKED_NO_DRAIN", L2, LAST_LINE),
        ("NO_INVALIDATE", MPBT, [("stale", (ROUNDS - 1) * WORDS, *BELL)]),
        ("L2_LINES", L2, [("unflushed", ROUNDS * WORDS, *BELL)]),
    ],
)
def test_each_memory_type_has_its_rules(checked: Checker, variant: str, word: str, expected: list[Any]) -> None:
    words = (word, *(("nc=200000:210000",) if word.startswith("vtype") else ()))
    assert checked("i386", "mpbt", variant, words, body="i386/mpbt.c").places() == expected


def test_a_flag_that_stays_in_the_buffer_is_reported(checked: Checker) -> None:
    """The next round's stores drain it, too late: which of the rounds are told as what depends on when it is polled."""
    places = checked("i386", "mpbt", "POLLED_NO_DRAIN", (MPBT,), body="i386/mpbt.c").places()
    assert any(kind == "unflushed" and tuple(where) == FLAG for kind, _count, *where in places)


@pytest.mark.parametrize(
    ("word", "fill"),
    [
        ("fill=0", 0),
        ("fill=100", 100),
        ("mpb=200000:210000:8000", 45),  # core 1's own tile
        ("mpb=1f0000:210000:1000", 61),  # core 16's tile is three hops away, 45 + 15.99
        ("dram=200000:210000:0:0", 71),  # behind the controller at core 1's tile, 40 + 30.65
        ("dram=200000:210000:5:2", 108),  # seven hops away, 40 + 37.31 + 30.65
    ],
)
def test_a_load_takes_the_later_clock_and_a_fill_once(checked: Checker, word: str, fill: int) -> None:
    run = checked("i386", "mpbt", "CLOCK", ("uc=200000:210000", "flag=200000:210000", word), body="i386/mpbt.c")
    stored = next(mark for mark in run.found.marks if mark.number == 1)
    taken = [mark for mark in run.found.marks if mark.number == 2][-1]
    again = next(mark for mark in run.found.marks if mark.number == 3)
    assert run.places() == []
    assert taken.own < stored.own  # core 1 had less to do
    assert taken.path == stored.path + fill  # the later clock
    assert again.path == taken.path + 3  # TEST, JZ, MOV: no second fill


def test_flags_in_one_word_have_clocks_of_their_own(checked: Checker) -> None:
    run = checked("i386", "mpbt", "CLOCK_BYTES", ("uc=200000:210000", "flag=200000:210000"), body="i386/mpbt.c")
    early, late, both = (next(mark for mark in run.found.marks if mark.number == number) for number in (1, 4, 3))
    waited = [mark for mark in run.found.marks if mark.number == 2][-1]
    assert run.places() == []
    assert late.path == early.path + 1000
    assert waited.path < early.path + 100  # not for the other flag, which was stored before it looked
    assert both.path == late.path
