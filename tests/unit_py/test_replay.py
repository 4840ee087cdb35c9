# SPDX-License-Identifier: MIT
"""The discrete-event model against closed forms, to 1 %; and what it reads of a counted run."""

from __future__ import annotations

import pytest
from amalgam.errors import UserError
from amalgam.measure import clocks
from amalgam.measure.clocks import Clocks, Mark
from amalgam.measure.replay import Counter, Mutex, Piece, Replay, Server, Sleep, Steps, Window, windows

ROUNDS = 2000


@pytest.mark.parametrize("callers", [1, 2, 3, 5, 14, 40])
@pytest.mark.parametrize("thinks,served", [(133, 40), (40, 133), (1000, 77), (0, 5)])
def test_callers_of_one_server_take_what_the_closed_form_says(callers: int, thinks: int, served: int) -> None:
    """Each call takes its own time, or all callers' services, whichever is longer."""
    model = Replay()
    server = Server(model)

    def caller() -> Steps:
        for _ in range(ROUNDS):
            yield thinks
            yield from server.serve(served)

    for _ in range(callers):
        model.start(caller())
    assert model.run() / ROUNDS == pytest.approx(max(thinks + served, callers * served), rel=0.01)
    assert server.busy == callers * ROUNDS * served
    assert max(server.ahead) <= callers - 1


def test_callers_with_different_loads_share_a_server_that_is_not_full() -> None:
    """Utilization is the sum of what each asks for in its own time, when nobody waits."""
    model, loads = Replay(), [(1000, 10), (1500, 30), (3100, 20)]
    server = Server(model)

    def caller(thinks: int, served: int) -> Steps:
        while model.now < 10_000_000:
            yield thinks
            yield from server.serve(served)

    for load in loads:
        model.start(caller(*load))
    ticks = model.run()
    assert server.busy / ticks == pytest.approx(sum(s / (t + s) for t, s in loads), rel=0.01)


def test_a_server_that_rests_needs_longer_for_the_first() -> None:
    model = Replay()
    server = Server(model, 60)
    for at in (0, 50, 300):
        model.start(server.serve(40), at)
    assert model.run() == 300 + 100
    assert server.busy == 100 + 40 + 100


def test_who_comes_first_is_served_first() -> None:
    model, served = Replay(), []
    server = Server(model)

    def caller(number: int) -> Steps:
        yield from server.serve(100)
        served.append((number, model.now))

    for number, at in ((0, 30), (1, 10), (2, 20)):
        model.start(caller(number), at)
    model.run()
    assert served == [(1, 110), (2, 210), (0, 310)]
    assert server.ahead == [0, 1, 2]


@pytest.mark.parametrize("puts,gets,slots", [(50, 80, 4), (80, 50, 4), (60, 60, 1)])
def test_a_pair_is_as_fast_as_its_slower_half(puts: int, gets: int, slots: int) -> None:
    """Nothing is locked while they work; with one slot they take turns only where the buffer is the work itself."""
    model = Replay()
    empty, full = Counter(model, slots), Counter(model, 0)

    def putter() -> Steps:
        for _ in range(ROUNDS):
            yield puts
            yield from empty.take()
            yield from full.give()

    def getter() -> Steps:
        for _ in range(ROUNDS):
            yield from full.take()
            yield from empty.give()
            yield gets

    model.start(putter())
    model.start(getter())
    assert model.run() / ROUNDS == pytest.approx(max(puts, gets), rel=0.01)


def test_who_finds_a_mutex_taken_pays_for_its_sleep() -> None:
    """Alone: work, then both under the mutex: the second one enters, sleeps, is woken, leaves."""
    model = Replay()
    kernel = Server(model)
    mutex, ends = Counter(model, 1, Sleep(kernel, enter=7, leave=11, wake=5)), []

    def thread() -> Steps:
        yield from mutex.take()
        yield 1000
        yield from mutex.give()
        ends.append(model.now)

    model.start(thread())
    model.start(thread())
    assert model.run() == 1000 + 5 + 11 + 1000
    assert ends == [1005, 2016]
    assert kernel.busy == 7 + 5


def test_a_mutex_that_is_given_back_while_one_goes_to_sleep_is_not_slept_for() -> None:
    model = Replay()
    mutex = Counter(model, 1, Sleep(Server(model), enter=50, leave=1000, wake=1000))

    def thread(holds: int) -> Steps:
        yield from mutex.take()
        yield holds
        yield from mutex.give()

    model.start(thread(20))
    model.start(thread(1))
    assert model.run() == 51


def test_who_waited_for_a_mutex_asks_the_kernel_when_it_drops_it() -> None:
    """The second one finds the lock taken, sleeps from 7 on, is woken at 105, and leaves a word that makes it ask in vain."""
    model = Replay()
    kernel = Server(model)
    mutex, ends = Mutex(Sleep(kernel, enter=7, leave=11, wake=5, vain=3)), []

    def thread() -> Steps:
        yield from mutex.take()
        yield 100
        yield from mutex.drop()
        ends.append(model.now)

    model.start(thread())
    model.start(thread())
    model.run()
    assert ends == [105, 105 + 11 + 100 + 3]
    assert kernel.busy == 7 + 5 + 3


def test_a_mutex_that_nobody_waits_for_costs_nothing() -> None:
    model = Replay()
    mutex = Mutex(Sleep(Server(model), enter=7, leave=11, wake=5, vain=3))

    def thread() -> Steps:
        for _ in range(3):
            yield from mutex.take()
            yield 10
            yield from mutex.drop()

    model.start(thread())
    assert model.run() == 30


def test_who_is_woken_while_it_falls_asleep_falls_asleep_first() -> None:
    model = Replay()
    counter = Counter(model, 0, Sleep(Server(model), enter=10, leave=5, wake=2, before=3, rest=50, after=4))

    def giver() -> Steps:
        yield 20
        yield from counter.give()

    model.start(counter.take())  # asks at 3, is in the list at 13, asleep at 63
    model.start(giver())  # asks at 23, wakes at 25
    assert model.run() == 63 + 5


@pytest.mark.parametrize(("holds", "ends"), [(35, [35, 50 + 35]), (55, [55, 60 + 55]), (100, [100 + 5, 105 + 11 + 100 + 3])])
def test_who_polls_long_enough_for_a_mutex_does_not_sleep(holds: int, ends: list[int]) -> None:
    """It looks at 10, 20, 50 and 60, and sleeps from 67 on."""
    model = Replay()
    kernel, ended = Server(model), []
    mutex = Mutex(Sleep(kernel, enter=7, leave=11, wake=5, vain=3, polls=(10, 10, 30, 10)))

    def thread() -> Steps:
        yield from mutex.take()
        yield holds
        yield from mutex.drop()
        ended.append(model.now)

    model.start(thread())
    model.start(thread())
    model.run()
    assert ended == ends
    assert kernel.busy == (7 + 5 + 3 if holds == 100 else 0)


@pytest.mark.parametrize(("gives", "ends"), [(15, 20), (40, 50), (100, 100 + 5 + 11)])
def test_who_polls_long_enough_for_a_semaphore_does_not_sleep(gives: int, ends: int) -> None:
    model = Replay()
    kernel = Server(model)
    counter = Counter(model, 0, Sleep(kernel, enter=7, leave=11, wake=5, vain=3, polls=(10, 10, 30)))

    def giver() -> Steps:
        yield gives
        yield from counter.give()

    model.start(counter.take())
    model.start(giver())
    assert model.run() == ends
    assert kernel.busy == (7 + 5 if gives == 100 else 0)


@pytest.mark.parametrize("pairs", [1, 2, 5])
@pytest.mark.parametrize("wake", [10, 90])
def test_pairs_that_share_a_kernels_lock_are_as_fast_as_it_lets_them(pairs: int, wake: int) -> None:
    """Two threads wake each other in turn: a round takes their own time, or what all pairs need of the kernel, whichever is longer."""
    model, works, enter, leave = Replay(), 400, 30, 20
    kernel = Server(model)

    def side(mine: Counter, other: Counter) -> Steps:
        for _ in range(ROUNDS):
            yield from mine.take()
            yield works
            yield from other.give()

    sleep = Sleep(kernel, enter, leave, wake)
    for _ in range(pairs):
        first, second = Counter(model, 1, sleep), Counter(model, 0, sleep)
        model.start(side(first, second))
        model.start(side(second, first))
    ticks = model.run() / ROUNDS
    assert ticks == pytest.approx(max(2 * (works + wake + leave), pairs * 2 * (wake + enter)), rel=0.01)
    assert kernel.busy / ROUNDS == pytest.approx(pairs * 2 * (wake + enter), rel=0.01)


def test_sleepers_of_others_are_looked_through() -> None:
    model = Replay()
    kernel = Server(model)
    sleep = Sleep(kernel, enter=0, leave=0, wake=5, scan=8)
    mine, others = Counter(model, 0, sleep), Counter(model, 0, sleep)

    def giver() -> Steps:
        yield 100
        yield from mine.give()
        assert kernel.busy == 5 + 3 * 8
        for _ in range(3):
            yield from others.give()

    for counter in (others, mine, others, others):
        model.start(counter.take())
    model.start(giver())
    model.run()
    assert kernel.busy == 5 + 3 * 8 + 3 * 5


def test_a_thread_that_nobody_resumes_is_an_error() -> None:
    model = Replay()
    model.start(Counter(model, 0).take())
    with pytest.raises(UserError, match="wait for ever"):
        model.run()


def marks(*of: tuple[int, int, int]) -> Clocks:
    return Clocks(marks=[Mark(number, hart, own, own, own) for number, hart, own in of])


def test_windows_hold_the_pieces_between_marks_of_each_hart() -> None:
    found = windows(marks((5, 0, 1), (16, 0, 10), (17, 1, 100), (1, 0, 14), (2, 1, 103), (15, 0, 20), (15, 1, 110)), range(16, 20), 15)
    assert found == [Window(16, 0, [Piece(16, 4), Piece(1, 6)]), Window(17, 1, [Piece(17, 3), Piece(2, 7)])]


@pytest.mark.parametrize("of", [((16, 0, 1),), ((16, 0, 1), (17, 0, 2), (15, 0, 3))])
def test_windows_that_are_not_whole_are_refused(of: tuple[tuple[int, int, int], ...]) -> None:
    with pytest.raises(UserError):
        windows(marks(*of), range(16, 20), 15)


def test_marks_are_those_of_the_plugin(tmp_path) -> None:
    (tmp_path / "clocks").write_text("mark 16 1 10 10 10\nmark 15 1 15 17 20\nhart 0 5 5\nhart 1 15 17\nend 20\n", encoding="utf-8")
    assert windows(clocks.read(tmp_path / "clocks"), range(16, 17), 15) == [Window(16, 1, [Piece(16, 5)])]
