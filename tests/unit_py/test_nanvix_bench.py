# SPDX-License-Identifier: MIT
"""What bench/nanvix reads of a counted run before it replays it, and what the replay makes of that."""

from __future__ import annotations

import pytest
from amalgam.errors import UserError
from amalgam.measure import benches
from amalgam.measure.clocks import Clocks, Event, Mark
from amalgam.measure.replay import Piece, Window

buffer, callers, noise, scaling = (benches.module("nanvix", name) for name in ("buffer", "callers", "noise", "scaling"))


def called(n: int, own: int, master: int, between: int, calls: int) -> list[Mark]:
    """Marks of `n` harts that each call in WINDOWS windows in turn, as one after the other."""
    marks, all_, clock = [], 0, dict.fromkeys(range(1, n + 1), 0)
    for _ in range(callers.WINDOWS):
        for hart in clock:
            marks.append(Mark(callers.BEGIN, hart, clock[hart], 0, all_))
            clock[hart] += own * calls
            all_ += (own + master) * calls
            marks.append(Mark(callers.END, hart, clock[hart], 0, all_))
            clock[hart] += between
            all_ += between
    return marks


def test_a_call_of_many_is_told_apart_from_what_lies_between_windows() -> None:
    found = Clocks(marks=[mark for n in (1, 2, 3) for mark in called(n, 300, 90 + n, 50, 20)])
    costs = callers.costs(found, 3, 20)
    for n in (1, 2, 3):
        assert (costs[n].caller, costs[n].master) == (300, pytest.approx(90 + n, rel=0.001))
        assert costs[n].all == pytest.approx(390 + n, rel=0.001)


def test_callers_that_share_a_hart_are_refused() -> None:
    marks = called(2, 300, 90, 50, 20)
    shared = [Mark(m.number, 1, m.own, m.path, m.all) for m in marks]
    with pytest.raises(UserError, match="2 callers were not on 2 harts"):
        callers.costs(Clocks(marks=called(1, 300, 90, 50, 20) + shared), 2, 20)


@pytest.mark.parametrize(("others", "thinks", "most"), [(0, 300, 0), (1, 300, 1), (13, 0, 13), (13, 10_000_000, 13)])
def test_a_call_waits_for_no_more_than_the_others(others: int, thinks: int, most: int) -> None:
    found = callers.ahead_of(others, thinks, 100, 20)
    assert found <= most and (found == most or thinks > 1000 or not others)


def turn(up: list[Piece], down: list[Piece] | None = None) -> list[Piece]:
    """One turn of a thread: down, lock, 500 instructions of copying, unlock, up, the rest."""
    return [*(down or [Piece(1, 36)]), Piece(2, 65), Piece(3, 500), Piece(4, 43), *up, Piece(6, 20)]


LOOKS = [Piece(buffer.LOOK, n) for n in (26, 236, 130)]  # the last one says that it is time to sleep
ASLEEP = [Piece(1, 36), *LOOKS, Piece(buffer.WAIT, 160), Piece(buffer.BLOCK, 95), Piece(buffer.SWITCH, 300), Piece(buffer.SWITCH, 200)]
VAIN = [Piece(5, 142), Piece(buffer.WAKE, 60), Piece(buffer.POLL, 108)]
WOKE = [Piece(5, 142), Piece(buffer.WAKE, 200), Piece(buffer.POLL, 109)]
CROWD = [Piece(5, 142), Piece(buffer.WAKE, 240), Piece(buffer.POLL, 109)]


def pair(up: list[Piece]) -> list[Window]:
    puts = [Piece(16, 30), *turn(up), *turn(VAIN), *turn([Piece(5, 23)])]
    return [Window(16, 1, puts), Window(17, 2, [Piece(17, 30), *turn([Piece(5, 23)], ASLEEP), *turn(VAIN), *turn([Piece(5, 23)])])]


def test_what_the_kernel_takes_for_a_sleep_is_read_of_its_functions_marks() -> None:
    costs = buffer.costs_of(pair(WOKE), [window for _ in range(6) for window in pair(CROWD)])
    assert costs.base == {1: 36, 2: 65, 4: 43, 5: 23}
    assert costs.of_sleep == {
        "before": 142 - 23,
        "enter": 160,
        "rest": 95,
        "leave": 500,
        "wake": 200,
        "vain": 60,
        "scan": 8,  # 40 more, with five other pairs
        "after": 108,
    }
    assert costs.polls == (26, 236)


@pytest.mark.parametrize("polls", [[], [Piece(buffer.LOOK, 26)] * 2])
def test_sleepers_that_have_not_polled_as_often_are_refused(polls: list[Piece]) -> None:
    other = Window(17, 2, [Piece(17, 30), *turn([Piece(5, 23)], [Piece(1, 36), *polls, *ASLEEP[1 + len(LOOKS) :]])])
    with pytest.raises(UserError, match="did not all poll as often"):
        buffer.costs_of([other, *pair(WOKE)], [])


def test_pairs_that_share_nothing_but_a_lock_of_the_kernel_are_nearly_as_fast_as_one() -> None:
    """With a master that serves 100,000 instructions a call, they take turns there."""
    costs = buffer.costs_of(pair(WOKE), [window for _ in range(6) for window in pair(CROWD)])
    alone = buffer.replayed(pair(WOKE), costs, None)
    assert alone < buffer.replayed(pair(WOKE) * 7, costs, None) < 1.5 * alone
    slow = buffer.Remote(1, 100_000)
    calls = 2 * 3 * 4
    assert buffer.replayed(pair(WOKE) * 7, costs, slow) == pytest.approx(7 * calls * 100_000, rel=0.01)


def test_a_run_without_all_its_threads_is_refused() -> None:
    assert buffer.runs_of(pair(WOKE) + pair(WOKE) * 2, 2, 1).keys() == {(1, 1), (2, 1)}
    with pytest.raises(UserError, match="5 threads ended their loop, 6 were to"):
        buffer.runs_of((pair(WOKE) + pair(WOKE) * 2)[:5], 2, 1)


def noisy(*rings: tuple[int, int]) -> Clocks:
    """A worker on hart 2 with three windows beside others, two alone; rings of a hart, each after so many marks."""
    numbers = [1, 2, 1, 2, 1, 2, 3, 4, 3, 4]
    long = {4: 7} | {8: 3}  # more instructions in these windows
    marks, own = [], 0
    for i, number in enumerate(numbers):
        marks.append(Mark(number, 2, own, own, own))
        own += 100 + long.get(i, 0)
    return Clocks(marks, [Event("ring", 0, hart, 0, at) for hart, at in rings])


def test_one_ring_between_two_windows_is_the_answer_and_others_are_noise() -> None:
    assert noise.rings(noisy((2, 2), (2, 4))) == 0
    assert noise.rings(noisy((2, 2), (2, 4), (2, 4), (2, 4), (2, 2))) == 3
    assert noise.rings(noisy((1, 2), (1, 2), (2, 9), (2, 9), (2, 0), (2, 0))) == 0  # other harts', and outside of its windows


def test_a_window_that_is_longer_beside_others_is_seen() -> None:
    assert noise.window(noisy(), 2) == 7


def test_a_storm_is_what_another_cluster_rings_of_the_master_meanwhile() -> None:
    found = noisy()
    found.events = [Event("ring", by, other, 0, at) for by, other, at in ((1, 0, 2), (1, 0, 4), (1, 2, 3), (3, 0, 3), (1, 0, 8), (1, 0, 0))]
    assert noise.stormed(found, 0, 1) == 2


def test_callers_that_did_not_run_are_noticed() -> None:
    found = noisy()
    found.events = [Event("flag", hart, 0, 0, at) for hart, at in ((3, 2), (4, 3), (4, 4), (2, 2), (5, 8))]
    assert noise.busy(found) == 2


COSTS = scaling.Calibration(700, 300, 20)


@pytest.mark.parametrize("clusters", [2, 5, 20, 400])
def test_a_modelled_barrier_takes_what_the_closed_form_says(clusters: int) -> None:
    assert scaling.barrier(clusters, clusters, COSTS) == pytest.approx(COSTS.flat(clusters), rel=0.01)


@pytest.mark.parametrize("clusters", [2, 5, 20, 400])
def test_a_chain_of_clusters_goes_up_and_down_one_by_one(clusters: int) -> None:
    assert scaling.barrier(clusters, 1, COSTS, 2) == pytest.approx((clusters - 1) * 2 * (700 + 340), rel=0.01)


def test_a_whole_tree_takes_a_level_after_the_other() -> None:
    """Of three levels with four children each: all four are gathered, then all four released, at each level."""
    each = round(COSTS.signal(5))
    assert scaling.barrier(1 + 4 + 16, 4, COSTS, 5) == pytest.approx(2 * 2 * (700 + 4 * each), rel=0.01)


def test_the_model_is_fitted_to_what_was_measured() -> None:
    paths = {n: COSTS.flat(n) for n in (2, 5, 9, 20)}
    assert scaling.worst(paths, scaling.calibrate(paths)) < 0.001
    paths[9] *= 1.2
    assert scaling.worst(paths, scaling.calibrate(paths)) > 0.05


def test_no_cluster_takes_less_than_no_time() -> None:
    """Paths that grow a little slower than the clusters do; 4,096 of them took 400 instructions once."""
    found = scaling.calibrate({2: 1149, 5: 1519, 9: 2011, 13: 2502, 17: 2994, 20: 3338})
    assert found.look == 0
    assert scaling.barrier(scaling.MOST, scaling.MOST, found) == pytest.approx(500_000, rel=0.1)


def test_where_a_tree_begins_to_be_faster_is_found() -> None:
    first = scaling.breaks_at(COSTS, 4)
    assert scaling.barrier(first, 4, COSTS) < scaling.barrier(first, first, COSTS)
    assert scaling.barrier(first - 1, 4, COSTS) >= scaling.barrier(first - 1, first - 1, COSTS)
