# SPDX-License-Identifier: MIT
"""Nanvix' benchmarks in a cluster whose master executes all that is shared (shape cluster-remote), beside those of bench/nanvix. Rows that end
in -32 are of 32-bit harts (shape cluster32-remote).

In buffer each down, lock, unlock and up is a call of the master, and who finds nothing waits there. As bench/nanvix/buffer.py has it, the
counted run gives what each thread executes between two operations, and the replay has all threads go on at the same time; what an
operation takes its caller and the master is counted by bench/nanvix-remote/programs/semaphorecost.c.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from statistics import median

from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.clocks import Clocks
from amalgam.measure.replay import Replay, Server, Steps, Window, windows

runs, buffer, callers, noise = (module("nanvix", name) for name in ("runs", "buffer", "callers", "noise"))
BATCH, WAITING = 20, 10  # of semaphorecost.c: operations in a window (of remote.c, too); threads that wait meanwhile
LOCAL = 1000  # calls in a window of kcall.c
PAIRS, SIZES = 7, 8  # of buffer.c
SHAPES = {64: "cluster-remote", 32: "cluster32-remote"}
WINDOWS = 40  # of fork-join.c for each number of threads, the first ones for one thread


@dataclass(frozen=True)
class Cost:
    """Instructions of an operation: its caller's, and the master's; what more the master has for each request that waits meanwhile, and
    to let one of them go on."""

    caller: int
    master: int
    scan: float
    rouse: int


def cost_of(found: Clocks) -> Cost:
    """What is more than one thread's operation, when it lets another one go on, is the master's, which is the most that it can be."""
    alone, handed, beside = (median(span.path for span in found.spans(mark, mark + 1)) / BATCH for mark in (1, 3, 5))
    marks = [replace(m, number=m.number - 6) for m in found.marks if m.number in (7, 8)]
    master = round(callers.cost(marks, BATCH).master)
    return Cost(round(alone) - master, master, max(0.0, (beside - alone) / WAITING), max(0, round(handed - alone)))


class Semaphore:
    """The master's: who finds 0 is in its queue, and gets the next one that is given."""

    def __init__(self, model: Replay, master: Server, cost: Cost, value: int, waiting: list[int]) -> None:
        self.model, self.master, self.cost, self.value, self.waiting = model, master, cost, value, waiting
        self.queue: deque[Steps] = deque()

    def _served(self) -> Steps:
        yield self.cost.caller
        yield from self.master.serve(self.cost.master)
        self.master.free_at += round(self.cost.scan * self.waiting[0])

    def take(self) -> Steps:
        yield from self._served()
        if self.value:
            self.value -= 1
            return
        assert self.model.current
        self.queue.append(self.model.current)
        self.waiting[0] += 1
        yield None

    def give(self) -> Steps:
        yield from self._served()
        if not self.queue:
            self.value += 1
            return
        self.waiting[0] -= 1
        first = self.queue.popleft()
        self.master.free_at = max(self.master.free_at, self.model.now) + self.cost.rouse
        self.model.resume(first, self.master.free_at)


def replayed(found: list[Window], cost: Cost) -> int:
    """Ticks until the last thread of a run has ended."""
    model = Replay()
    master, waiting = Server(model), [0]
    for puts, gets in buffer.pairs_of(found):
        empty, full, mutex = (Semaphore(model, master, cost, value, waiting) for value in (buffer.SLOTS, 0, 1))
        for window, takes, gives in ((puts, empty, full), (gets, full, empty)):
            acts = zip(buffer.ACTS, (takes.take, mutex.take, mutex.give, gives.give), strict=True)
            model.start(buffer.thread(window, dict(acts)))
    return model.run()


def speed_ups(found: Clocks, cost: Cost) -> dict[int, float]:
    """By KiB: how many times as fast as one pair seven pairs are, by seven."""
    of = buffer.runs_of(windows(found, range(buffer.PUTS, buffer.GETS + 1), buffer.END), PAIRS, SIZES)
    return {kib: replayed(of[1, kib], cost) / replayed(of[PAIRS, kib], cost) for kib in range(1, SIZES + 1)}


def swapped(text: str, old: str, new: str) -> str:
    """`text` with one thing for another. UserError: it has not that thing, and would be another system than is meant."""
    if old not in text:
        raise UserError(f"a system of bench/nanvix has no {old.strip()!r} any more: bench/nanvix-remote/bench.py replaces it")
    return text.replace(old, new)


def counted(ctx: Context, bits: int, name: str, program: str = "", events: bool = False) -> tuple[Clocks, str]:
    """A system of bench/nanvix, or of this bench, with this kernel, and perhaps with another program."""
    source = ctx.folder / f"{name}.yaml"
    if bits == 64 and source.is_file():
        return runs.counted(ctx, name, bits, events=events)
    if not source.is_file():
        source = ctx.folder.parent / "nanvix" / f"{name}.yaml"
    text = source.read_text(encoding="utf-8")
    if program:
        text = swapped(text, f"build:nanvix-{name}.elf", f"build:{program}.elf")
    if bits == 32:
        text = swapped(text, "board: manycore\n", "board: manycore32\n")
    theirs = SHAPES[64] if source.parent == ctx.folder else "cluster"
    text = swapped(text, f"kernel: shape:{theirs}\n", f"kernel: shape:{SHAPES[bits]}\n")
    made = f"{name}-remote{runs.SUFFIX[bits]}"
    ctx.file(f"{made}.yaml").write_text(text, encoding="utf-8")
    return runs.counted(ctx, made, bits, events=events)


def calls(ctx: Context, bits: int) -> list[Row]:
    """The other three of the five benchmarks: what is local, what goes to the master in every kernel, and who notices its callers."""
    found, how = counted(ctx, bits, "kcall-one")
    local = runs.window(found, 3).own / LOCAL
    made = [Row("kcall-local", round(local), runs.UNIT, how=f"{how}: kcall0(NR_thread_get_id), median of {runs.SAMPLES} windows; view own")]
    found, how = counted(ctx, bits, "remote")
    remote = round(runs.window(found, 7).path / BATCH)
    made.append(Row("kcall-remote", remote, runs.UNIT, how=f"{how}: a call that the master answers at once; view path"))
    found, how = counted(ctx, bits, "noise", events=True)
    noise.need_busy(found, runs.MOST - 1)
    how = f"{how}: a worker beside {runs.MOST - 1} callers of the master, its longest window less the shortest alone; view own"
    return [*made, Row("noise-window", noise.window(found, runs.SAMPLES), runs.UNIT, how=how)]


def all_rows(ctx: Context, bits: int) -> list[Row]:
    found, how = counted(ctx, bits, "threads")
    of = f"all remote, median of {runs.SAMPLES} windows"
    alone = median(span.path for span in found.spans(1, 2, WINDOWS)[WINDOWS - runs.SAMPLES : WINDOWS])
    one = Row("spawn-1", round(alone), runs.UNIT, how=f"{how}: kthread_create of one thread, while none ends, {of}; view path")
    how = f"{how}: {{}}, by the thread of {runs.MOST}, {of}"
    made = [
        *runs.views("spawn", runs.window(found, 1), runs.MOST, None, how.format("kthread_create on a stack that is there")),
        one,
        *runs.views("join", runs.window(found, 3), runs.MOST, None, how.format("kthread_join")),
    ]
    found, how = counted(ctx, bits, "semaphores")
    cost = cost_of(found)
    alone = cost.caller + cost.master
    made += [
        Row("semaphore", alone, runs.UNIT, how=f"{how}: an up or a down that need not wait; view path"),
        Row("semaphore-master", cost.master, runs.UNIT, how=f"{how}: of it the master's own, of 14 threads at once; view own"),
        Row("semaphore-handed", alone + cost.rouse, runs.UNIT, how=f"{how}: from a thread's up until another's down returns; view path"),
        Row("semaphore-scan", round(cost.scan, 1), runs.UNIT, how=f"{how}: what it takes longer for each request that waits; view path"),
    ]
    made += calls(ctx, bits)
    passed, how = counted(ctx, bits, "buffer", "nanvix_remote-buffer")
    how = f"replayed in time order from {how}, tools/amalgam/measure/replay.py: 7 pairs' ideal speed-up, semaphores and mutexes of the master's"
    made += [
        Row(f"buffer-7-{kib}k", round(ratio, 3), "ratio", how=f"{how}, at {kib} KiB") for kib, ratio in speed_ups(passed, cost).items()
    ]
    return [replace(row, metric=row.metric + runs.SUFFIX[bits]) for row in made]


def run(ctx: Context) -> list[Row]:
    return [row for bits in (64, 32) for row in all_rows(ctx, bits)]
