# SPDX-License-Identifier: MIT
"""Misses in the order of time, on banks that serve one line after the other."""

from __future__ import annotations

import pytest
from amalgam.errors import UserError
from amalgam.measure import banks, benches
from amalgam.measure.banks import Banks, Shape, Stretch
from amalgam.measure.caches import Caches, Counts, Mark, Miss
from amalgam.measure.replay import Replay

memory = benches.module("caches", "memory")
SHAPE = Shape(banks=4, stripe=64, busy_i=8, busy_d=4, penalty=10)


def stretch(own: int, *misses: tuple[int, int], data: bool = True) -> Stretch:
    """Misses: each after so many instructions, at an address."""
    return Stretch(1, own, tuple((at, Miss(0, at, data, address)) for at, address in misses))


def ticks(*of: Stretch, shape: Shape = SHAPE) -> tuple[int, int]:
    model = Replay()
    memory_ = Banks(model, shape)
    for one in of:
        model.start(memory_.go(one))
    return model.run(), memory_.waited


def test_a_miss_alone_takes_its_penalty() -> None:
    assert ticks(stretch(100)) == (100, 0)
    assert ticks(stretch(100, (0, 0), (30, 64), (100, 0))) == (130, 0)
    assert ticks(stretch(100, (50, 0)), stretch(100, (50, 64)), stretch(100, (50, 128), data=False)) == (110, 0)


def test_who_finds_a_bank_busy_waits_for_it() -> None:
    assert ticks(*[stretch(100, (50, 0))] * 3) == (100 + 2 * 4 + 10, 4 + 8)
    assert ticks(*[stretch(100, (50, 0), data=False)] * 2) == (100 + 8 + 10, 8)
    assert ticks(stretch(100, (50, 0)), stretch(100, (53, 4 * 64))) == (110 + 1, 1)  # the stripes come round
    assert ticks(stretch(100, (50, 0)), stretch(100, (54, 0))) == (110, 0)


def test_one_bank_gives_no_more_than_it_has() -> None:
    """Eight harts that do nothing but miss: a bank that is never idle."""
    crowd = [stretch(0, *[(0, 64 * n) for n in range(1000)])] * 8
    assert ticks(*crowd, shape=Shape(banks=1, busy_d=4, penalty=10))[0] == pytest.approx(8 * 1000 * 4, rel=0.01)
    assert ticks(*crowd[:2], shape=Shape(banks=1, busy_d=4, penalty=10))[0] == pytest.approx(1000 * 10, rel=0.01)


def counted(*marks: tuple[int, int, int]) -> Caches:
    """Marks: number, hart, own. Hart 1 misses every ten instructions."""
    of = [Mark(number, hart, Counts(own, 0, 0, 0, 0), Counts(0, 0, 0, 0, 0)) for number, hart, own in marks]
    return Caches(of, [Miss(1, own, True, own) for own in range(0, 200, 10)])


def test_a_window_is_cut_at_its_marks() -> None:
    found = banks.stretches(counted((7, 1, 5), (16, 1, 10), (3, 1, 30), (16, 2, 0), (15, 2, 9), (4, 1, 55), (15, 1, 60)), range(16, 18), 15)
    assert [[(s.begin, s.own, [at for at, _ in s.misses]) for s in window] for window in found] == [
        [(16, 9, [])],
        [(16, 20, [0, 10]), (3, 25, [0, 10, 20]), (4, 5, [])],
    ]
    with pytest.raises(UserError, match="did not end"):
        banks.stretches(counted((16, 1, 10)), range(16, 18), 15)
    with pytest.raises(UserError, match="in a window"):
        banks.stretches(counted((16, 1, 10), (17, 1, 20)), range(16, 18), 15)


def test_a_worker_notices_callers_that_keep_its_bank_busy() -> None:
    worker, callers = [stretch(100, (50, 0)), stretch(100)], [stretch(10, (5, 0))] * 13
    assert memory.beside(worker, [], SHAPE) == [110, 100]
    crowd = memory.beside(worker, callers, Shape(banks=1, busy_d=4))
    assert crowd[0] > 110 + 4 * 5 and crowd[1] == 100
    assert memory.beside(worker, [stretch(10, (5, 64))] * 13, SHAPE) == [110, 100]  # another bank's
