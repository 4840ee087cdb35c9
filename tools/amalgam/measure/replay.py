# SPDX-License-Identifier: MIT
"""A discrete-event model: what threads that run at the same time wait for each other.

An emulator runs one hart until it sleeps, so the order in which its harts meet is not that of time. A bench takes from a counted run
how many instructions each hart executes between two meetings (`pieces`), and this model puts the meetings into the order of time. One
instruction is one tick. A thread is a generator, whose steps are numbers of ticks, `Server.serve` and `Counter.take` and `give`:

    model = Replay()
    master = Server(model)

    def caller():
        for _ in range(100):
            yield 90
            yield from master.serve(40)

    for _ in range(14):
        model.start(caller())
    ticks = model.run()
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import pairwise

from amalgam.errors import UserError
from amalgam.measure import marks
from amalgam.measure.clocks import Clocks

Steps = Generator[int | None, None, None]  # ticks until the next step; None: until somebody resumes the thread


class Replay:
    """The clock, and who goes on when. Who goes on at the same time does so in the order in which that was decided."""

    def __init__(self) -> None:
        self.now = 0
        self.current: Steps | None = None
        self.alive = 0
        self._order = 0
        self._due: list[tuple[int, int, Steps]] = []

    def start(self, thread: Steps, at: int = 0) -> None:
        self.alive += 1
        self._push(thread, at)

    def resume(self, thread: Steps, at: int | None = None) -> None:
        """Let a thread whose step was None go on at this time, or now."""
        self._push(thread, self.now if at is None else at)

    def _push(self, thread: Steps, at: int) -> None:
        self._order += 1
        heapq.heappush(self._due, (at, self._order, thread))

    def run(self) -> int:
        """Until all threads have ended: when that was. A thread that nobody resumes is an error."""
        while self._due:
            self.now, _, self.current = heapq.heappop(self._due)
            try:
                ticks = next(self.current)
            except StopIteration:
                self.alive -= 1
                continue
            if ticks is not None:
                self._push(self.current, self.now + ticks)
        if self.alive:
            raise UserError(f"{self.alive} threads of the model wait for ever", "the counted run did not have what they wait for")
        return self.now


class Server:
    """One that serves first come, first served: a master core, or a lock that hands itself on in order. `rested`: what it needs more
    for who finds it idle."""

    def __init__(self, model: Replay, rested: int = 0) -> None:
        self.model, self.rested = model, rested
        self.free_at = 0
        self.busy = 0  # ticks in all
        self.ahead: list[int] = []  # of each that came: how many it had to wait for
        self._ends: deque[int] = deque()

    def serve(self, ticks: int) -> Steps:
        now = self.model.now
        while self._ends and self._ends[0] <= now:
            self._ends.popleft()
        self.ahead.append(len(self._ends))
        ticks += 0 if self._ends else self.rested
        self.free_at = max(now, self.free_at) + ticks
        self.busy += ticks
        self._ends.append(self.free_at)
        yield self.free_at - now


@dataclass
class Sleep:
    """What it costs to wait asleep, in ticks, and who does. What a kernel does under its lock is served by `by`: to go to sleep (`enter`),
    to wake another one (`wake`), to look for one in vain (`vain`), in both cases `scan` more for each thread that sleeps for something
    else. Not under the lock: `polls`, what each look takes before a thread asks to sleep; `before`, until the kernel has it; `rest`, what is left of going to sleep; `leave`, from the wake-up until the
    sleeper goes on; `after`, what is left of waking another one."""

    by: Server
    enter: int
    leave: int
    wake: int
    vain: int = 0
    scan: int = 0
    before: int = 0
    rest: int = 0
    after: int = 0
    polls: tuple[int, ...] = ()
    asleep: int = 0

    def look(self, free: Callable[[], bool]) -> Steps:
        """Poll until it is free, or until it is time to sleep."""
        for ticks in self.polls:
            yield ticks
            if free():
                return

    def doze(self, queue: deque[Steps], still: Callable[[], bool]) -> Steps:
        """Sleep at the end of `queue`, if `still` says so when the kernel looks."""
        yield self.before
        yield from self.by.serve(self.enter)
        if not still():
            yield self.after
            return
        model = self.by.model
        assert model.current
        queue.append(model.current)
        self.asleep += 1
        sleeps = model.now + self.rest
        yield None
        yield max(0, sleeps - model.now) + self.leave

    def rouse(self, queue: deque[Steps]) -> Steps:
        """Wake the first one of `queue`, if there is one."""
        yield self.before
        others = self.scan * (self.asleep - len(queue))
        yield from self.by.serve(others + (self.wake if queue else self.vain))
        if queue:
            self.asleep -= 1
            self.by.model.resume(queue.popleft())
        yield self.after


class Counter:
    """A semaphore, as user/nanvix/lib/semaphore.c has it: who finds none polls, then counts itself as asleep, sleeps, and tries again,
    perhaps in vain; who gives one asks the kernel to wake one if somebody counts itself. Without `sleep` waiting costs nothing but time."""

    def __init__(self, model: Replay, value: int, sleep: Sleep | None = None) -> None:
        self.value, self.asleep = value, 0
        self.sleep = sleep or Sleep(Server(model), 0, 0, 0)
        self._asleep: deque[Steps] = deque()

    def take(self) -> Steps:
        while not self.value:
            yield from self.sleep.look(lambda: self.value > 0)
            if self.value:
                break
            self.asleep += 1
            yield from self.sleep.doze(self._asleep, lambda: not self.value)
            self.asleep -= 1
        self.value -= 1

    def give(self) -> Steps:
        self.value += 1
        if self.asleep:
            yield from self.sleep.rouse(self._asleep)


class Mutex:
    """The lock of user/nanvix/lib/lock.c: a word that is 0 when free, 1 when taken, 2 when taken and somebody may sleep. Who finds it
    taken polls, then sleeps. Who has slept leaves a 2, and asks the kernel when it drops the lock, perhaps in vain."""

    def __init__(self, sleep: Sleep) -> None:
        self.word, self.sleep = 0, sleep
        self._asleep: deque[Steps] = deque()

    def take(self) -> Steps:
        taken = 1
        while self.word:
            yield from self.sleep.look(lambda: not self.word)
            if not self.word:
                break
            self.word = taken = 2
            yield from self.sleep.doze(self._asleep, lambda: self.word == 2)
        self.word = taken

    def drop(self) -> Steps:
        before, self.word = self.word, 0
        if before == 2:
            yield from self.sleep.rouse(self._asleep)


@dataclass(frozen=True)
class Piece:
    """Instructions of one hart from a mark, or from the window's begin, to the next mark."""

    begin: int  # the mark
    own: int


@dataclass(frozen=True)
class Window:
    """What one hart did from one mark to another."""

    begin: int
    hart: int
    pieces: list[Piece]


def windows(clocks: Clocks, begins: range, end: int) -> list[Window]:
    """Those of a counted run (marks.windows), in pieces."""
    found = marks.windows(clocks.marks, begins, end)
    return [Window(of[0].number, of[0].hart, [Piece(a.number, b.own - a.own) for a, b in pairwise(of)]) for of in found]
