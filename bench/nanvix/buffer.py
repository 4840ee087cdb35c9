# SPDX-License-Identifier: MIT
"""Nanvix' benchmark buffer in time order: pairs of threads, of which each passes objects through a buffer of its own.

The counted run gives how many instructions each thread executes from one operation to the next, and what the kernel takes to put a
thread to sleep and to wake it, and each poll before a sleep. The replay (amalgam.measure.replay) has all threads go on at the same time. They
share the lock of their process, and the master where every operation is a remote call.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure import clocks
from amalgam.measure.replay import Counter, Mutex, Piece, Replay, Server, Sleep, Steps, Window, windows
from elftools.elf.elffile import ELFFile

SLOTS = 15  # what `empty` begins with
DOWN, LOCK, COPY, UNLOCK, UP = 1, 2, 3, 4, 5  # marks of user/programs/nanvix/buffer.c: an operation begins
ACTS = (DOWN, LOCK, UNLOCK, UP)  # those that the model has; a copy is as it was counted
PUTS, GETS, END = 16, 17, 15
WAIT, SWITCH, WAKE, POLL, BLOCK, LOOK = range(32, 38)  # marks of kernel functions, and of one of the program: one is entered
FUNCTIONS = {  # a wait has released its process's lock when it comes to BLOCK, a wake when it comes to POLL
    "process_wait": WAIT,
    "context_switch": SWITCH,
    "process_wake": WAKE,
    "sched_poll": POLL,
    "process_waiter_block": BLOCK,
}
OF_PROGRAM = {"nanvix_stay_awake": LOOK}  # user/nanvix/lib/lock.c calls it before each poll
BASE = 0x10_0000_0000  # of a program: USER_BASE of kernel/arch/riscv/64/include/arch/space_limits.h


def marked(path: Path, functions: dict[str, int], base: int = 0) -> dict[int, int]:
    """Where a file has these functions. LTO may have made several of one, which differ by a suffix."""
    with path.open("rb") as file:
        symbols = [(s.name.split(".")[0], s["st_value"]) for s in ELFFile(file).get_section_by_name(".symtab").iter_symbols()]
    found = {base + address: functions[name] for name, address in symbols if name in functions}
    if missing := set(functions.values()) - set(found.values()):
        names = [name for name, mark in functions.items() if mark in missing]
        raise UserError(f"{path.name} has no function {', '.join(names)}", "the compiler has inlined it: the bench needs another one")
    return found


def places(kernel: Path, program: Path) -> dict[int, int]:
    """The addresses of the marks of functions, for clocks.options()."""
    return marked(kernel, FUNCTIONS) | marked(program, OF_PROGRAM, BASE)


def operations(window: Window) -> list[list[Piece]]:
    """The pieces of each operation, and of what is between two."""
    found: list[list[Piece]] = []
    for piece in window.pieces:
        if piece.begin < WAIT:
            found.append([])
        found[-1].append(piece)
    return found


def own(pieces: list[Piece]) -> int:
    return sum(piece.own for piece in pieces)


def until(pieces: list[Piece], mark: int, last: bool = False) -> int:
    """Instructions until a kernel function is entered first, or last."""
    found = [i for i, piece in enumerate(pieces) if piece.begin == mark]
    if not found:
        raise UserError(f"mark {mark} is not where it was", "the kernel calls its functions in another order")
    return own(pieces[: found[-1 if last else 0]])


def up_to(pieces: list[Piece], mark: int) -> list[Piece]:
    """Those before a kernel function is entered."""
    return pieces[: [piece.begin for piece in pieces].index(mark)]


def has(pieces: list[Piece], mark: int) -> bool:
    return any(piece.begin == mark for piece in pieces)


@dataclass(frozen=True)
class Costs:
    """Instructions of each operation when it does not call the kernel, what Sleep has of the kernel's, and each poll before a sleep."""

    base: dict[int, int]
    of_sleep: dict[str, int]
    polls: tuple[int, ...]


def middle(values: list[int]) -> int:
    return round(statistics.median(values))


def costs_of(found: list[Window], wakers: list[Window]) -> Costs:
    """Of a pair that was alone, where the kernel sees nobody else asleep; `wakers` had seven pairs: what it costs to see some. In the
    counted run nobody runs while a thread polls, so each that waits polls as long as it may, and sleeps."""
    every = [o for window in found for o in operations(window)]
    base = {mark: min(own(o) for o in every if o[0].begin == mark) for mark in ACTS}
    slept = [[p for p in o if p.begin != POLL] for o in every if has(o, SWITCH)]
    asked = [o for o in every if has(o, WAKE)]
    if not slept or not asked:
        raise UserError("no thread of the counted run slept and was woken", "look at what the board said")
    polls = [tuple(p.own for p in o if p.begin == LOOK)[:-1] for o in (up_to(o, WAIT) for o in slept)]  # after the last one it sleeps
    if not polls[0] or len({len(p) for p in polls}) > 1:
        raise UserError("threads of the counted run did not all poll as often before they slept", "look at what the board said")
    held = [until(o, POLL, last=True) - until(o, WAKE) for o in asked]
    woke = [h for h in held if h > (min(held) + max(held)) / 2]
    vain = [h for h in held if h <= (min(held) + max(held)) / 2]
    crowd = [until(o, POLL, last=True) - until(o, WAKE) for w in wakers for o in operations(w) if has(o, WAKE)]
    enter = middle([until(o[[p.begin for p in o].index(WAIT) :], BLOCK) for o in slept])
    return Costs(
        base,
        {
            "before": middle([until(o, WAKE) - base[UP] for o in asked]),
            "enter": enter,
            "rest": middle([until(o, SWITCH) - until(o, WAIT) for o in slept]) - enter,
            "leave": middle([own(o) - until(o, SWITCH) for o in slept]),
            "wake": middle(woke),
            "vain": middle(vain),
            "scan": round((max(crowd) - max(held)) / (len(wakers) / len(found) - 1)),
            "after": middle([own(o) - until(o, POLL, last=True) for o in asked]),
        },
        tuple(middle(list(at)) for at in zip(*polls, strict=True)),
    )


@dataclass(frozen=True)
class Remote:
    """A call of the master: what it takes its caller, and then the master."""

    caller: int
    master: int


Work = Callable[[Window, int, int], Steps]  # of a window's operations the one of this number, of so many instructions


def undisturbed(_window: Window, _number: int, ticks: int) -> Steps:
    """Work that waits for no memory."""
    yield ticks


def thread(window: Window, acts: dict[int, Callable[[], Steps]], work: Work = undisturbed) -> Steps:
    """One thread's loop: its own pieces as they were counted, its operations as `acts` has each of ACTS."""
    for number, pieces in enumerate(operations(window)):
        act = acts.get(pieces[0].begin)
        yield from act() if act else work(window, number, own(pieces))


def replayed(
    found: list[Window], costs: Costs, remote: Remote | None, memory: Callable[[Replay], Work] = lambda _model: undisturbed
) -> int:
    """Ticks until the last thread has ended. `memory`: what work waits for in a model."""
    model = Replay()
    work = memory(model)
    sleep = Sleep(Server(model), **costs.of_sleep, polls=costs.polls)
    master = Server(model)

    def call() -> Steps:
        if remote:
            yield remote.caller
            yield from master.serve(remote.master)

    def operation(mark: int, act: Callable[[], Steps]) -> Steps:
        yield costs.base[mark]
        yield from call()
        yield from act()

    for puts, gets in pairs_of(found):
        empty, full, mutex = Counter(model, SLOTS, sleep), Counter(model, 0, sleep), Mutex(sleep)
        for window, takes, gives in ((puts, empty, full), (gets, full, empty)):
            acts = zip(ACTS, (takes.take, mutex.take, mutex.drop, gives.give), strict=True)
            model.start(thread(window, {mark: partial(operation, mark, act) for mark, act in acts}, work))
    return model.run()


def pairs_of(found: list[Window]) -> list[tuple[Window, Window]]:
    """One that puts and one that gets for each; all of a kind have done the same."""
    puts, gets = ([w for w in found if w.begin == mark] for mark in (PUTS, GETS))
    return list(zip(puts, gets, strict=True))


def runs_of(every: list[Window], pairs: int, sizes: int) -> dict[tuple[int, int], list[Window]]:
    """The windows of each run, by its pairs and KiB: the program measures them one after the other."""
    found, at = {}, 0
    for n in range(1, pairs + 1):
        for kib in range(1, sizes + 1):
            found[n, kib] = every[at : at + 2 * n]
            at += 2 * n
    if at != len(every):
        raise UserError(f"{len(every)} threads ended their loop, {at} were to", "look at what the board said")
    return found


def speed_ups(found: clocks.Clocks, pairs: int, sizes: int, remote: Remote | None) -> dict[tuple[int, int], float]:
    """By pairs and KiB: how much faster so many pairs were than one, as a fraction of their number."""
    runs = runs_of(windows(found, range(PUTS, GETS + 1), END), pairs, sizes)
    costs = costs_of(runs[1, 1], runs[pairs, 1])
    alone = {kib: replayed(runs[1, kib], costs, remote) for kib in range(1, sizes + 1)}
    return {(n, kib): alone[kib] / replayed(windows_, costs, remote) for (n, kib), windows_ in runs.items()}
