# SPDX-License-Identifier: MIT
"""RCCE's programs on more cores than a board has: a discrete-event model of user/rcce/programs/jacobi.c and programs/rcce/apps.c.

It is calibrated by what one core and two took, and by a message of 32 bytes. Work comes in units (a row, a block) that cost the same
on each core. A message goes as user/rcce/send.c sends it: in chunks through two halves of the sender's buffer, each of which costs its
sender and its receiver `chunk` and an instruction a word; both go on when the last one was taken. Who waits for another core does
nothing else; the network has no queues and no distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from amalgam.measure.replay import Replay, Steps

MOST = 1024
HALF = 2016  # bytes of a chunk: COMBUF of user/rcce/rcce.h
ROWS, ROW, ITERATIONS = 480, 4096, 10  # jacobi.c; a row's bytes
EDGE, SIDE, BLOCKS, COUNTS = 144, 192, 192, 40  # apps.c; what ep sends besides blocks, in bytes
NUMBER, COMPLEX = 8, 16  # bytes
ADDED = 7  # instructions with which ep's first core adds a block, at the end


@dataclass(frozen=True)
class Costs:
    """Instructions of a unit of work; of a chunk, besides its words, on each side; of Jacobi's exchange of rows, besides its own one's."""

    unit: float
    chunk: float
    exchange: float = 0


@cache
def message(size: int, chunk: int, late: int) -> int:
    """When both go on, if the sender begins at 0 and the receiver `late` ticks after that (before it, if that is less than 0). That the
    sender waits for a free half holds up nobody: the receiver takes as long for a chunk."""
    put, got = 0, late
    for at in range(0, size, HALF):
        ticks = chunk + min(HALF, size - at) // 4
        put += ticks
        got = max(got, put) + ticks
    return got


@dataclass
class Machine:
    """Cores that send each other messages."""

    cores: int
    chunk: int
    model: Replay = field(default_factory=Replay)
    _waits: dict[tuple[int, int], tuple[int, Steps]] = field(default_factory=dict)  # since when, who

    def _meet(self, pair: tuple[int, int], end: Callable[[int, int], int]) -> Steps:
        """Two come and both go on at `end`, which is given when the other one came and when this one did."""
        now, me = self.model.now, self.model.current
        assert me
        if pair not in self._waits:
            self._waits[pair] = now, me
            yield None
            return
        since, other = self._waits.pop(pair)
        at = end(since, now)
        self.model.resume(other, at)
        yield at - now

    def send(self, me: int, to: int, size: int) -> Steps:
        return self._meet((me, to), lambda receiver, now: now + message(size, self.chunk, receiver - now))

    def receive(self, me: int, source: int, size: int) -> Steps:
        return self._meet((source, me), lambda sender, now: sender + message(size, self.chunk, now - sender))

    def exchange(self, me: int, other: int, ticks: int) -> Steps:
        return self._meet((min(me, other), max(me, other)), lambda _, now: now + ticks)

    def swap(self, me: int, out: tuple[int, int], came: tuple[int, int], sends_first: bool) -> Steps:
        """A message out and one in: with whom, and its bytes."""
        if sends_first:
            yield from self.send(me, *out)
        yield from self.receive(me, *came)
        if not sends_first:
            yield from self.send(me, *out)

    def part(self, core: int, things: int) -> int:
        """How many of them are the core's."""
        return (core + 1) * things // self.cores - core * things // self.cores


Program = Callable[[Machine, Costs, int, int], Steps]  # of a core, and a size


def jacobi(m: Machine, costs: Costs, me: int, rows: int) -> Steps:
    """A unit is a row in one iteration."""
    for _ in range(ITERATIONS):
        for other in (me - 1, me + 1) if me % 2 else (me + 1, me - 1):
            if 0 <= other < m.cores:
                yield from m.exchange(me, other, round(costs.exchange) + ROW // 4)
        yield round(costs.unit * m.part(me, rows))


def matmul(m: Machine, costs: Costs, me: int, edge: int) -> Steps:
    """A unit is what a row of B adds to a row of C."""
    rows = m.part(me, edge)
    for step in range(m.cores):
        now, later = (m.part((me + step + i) % m.cores, edge) for i in (0, 1))
        yield round(costs.unit * edge / EDGE * rows * now)
        if step + 1 < m.cores:
            out, came = ((me - 1) % m.cores, now * edge * NUMBER), ((me + 1) % m.cores, later * edge * NUMBER)
            yield from m.swap(me, out, came, me % 2 == 0)


def fft(m: Machine, costs: Costs, me: int, side: int) -> Steps:
    """A unit is the transformation of a column and of a row, with their part of the transposition."""
    own = m.part(me, side)
    half = round(costs.unit * side * math.log2(side) / (SIDE * math.log2(SIDE)) / 2 * own)
    yield half
    for step in range(m.cores):
        other = (step - me) % m.cores
        if other != me:
            block = other, own * m.part(other, side) * COMPLEX
            yield from m.swap(me, block, block, me < other)
    yield half


def ep(m: Machine, costs: Costs, me: int, blocks: int) -> Steps:
    """A unit is a block. Core 0 adds all in the end."""
    yield round(costs.unit * m.part(me, blocks))
    step = 1
    while step < m.cores:
        first, end = (min(me + n * step, m.cores) * blocks // m.cores for n in (1, 2))
        if me % (2 * step):
            yield from m.send(me, me - step, (first - me * blocks // m.cores) * COMPLEX)
            yield from m.send(me, me - step, COUNTS)
            return
        if me + step < m.cores:
            yield from m.receive(me, me + step, (end - first) * COMPLEX)
            yield from m.receive(me, me + step, COUNTS)
        step *= 2
    yield ADDED * blocks


FULL = {"jacobi": 10240, "matmul": 3072, "fft": 4096, "ep": 4096}  # on MOST cores what SIZES are on 48
THIN = dict.fromkeys(FULL, MOST)
SIZES = {"jacobi": ROWS, "matmul": EDGE, "fft": SIDE, "ep": BLOCKS}
PROGRAMS: dict[str, Program] = {"jacobi": jacobi, "matmul": matmul, "fft": fft, "ep": ep}


def path(name: str, costs: Costs, cores: int, size: int = 0) -> int:
    """Ticks until the last core ends; the measured program's size, if it is 0."""
    machine = Machine(cores, round(costs.chunk))
    for core in range(cores):
        machine.model.start(PROGRAMS[name](machine, costs, core, size or SIZES[name]))
    return machine.model.run()


def calibrate(name: str, one: float, two: float, message_32: float) -> Costs:
    """From the paths of one core and of two, and a message's one way."""
    units = {"jacobi": ROWS * ITERATIONS, "matmul": EDGE * EDGE}.get(name, SIZES[name])
    exchange = (two - one / 2) / ITERATIONS - ROW / 4 if name == "jacobi" else 0
    added = ADDED * BLOCKS if name == "ep" else 0
    return Costs((one - added) / units, message_32 / 2 - 32 // 4, exchange)


def off(name: str, costs: Costs, paths: dict[int, int]) -> float:
    """How far the model is from the measured paths at most, as a fraction of them."""
    return max(abs(path(name, costs, cores) - measured) / measured for cores, measured in paths.items())
