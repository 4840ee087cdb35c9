# SPDX-License-Identifier: MIT
"""What processes cost: calls, switches, threads, and the memory of the option and of one process, beside stock Linux."""

from __future__ import annotations

import re
from typing import Any

from amalgam.board.monitor import await_monitor, command
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Run, run_bare, run_guest, stored
from amalgam.measure.sizes import totals

SAMPLES = 1000
UNIT = "instructions"
# row, Linux' line and how often it has been measured, what is done
ROWS = (
    ("call", ("getpid", SAMPLES), "a call that does nothing, from the program to the program"),
    ("clock", None, "the time"),
    ("yield-alone", ("sched-yield-alone", SAMPLES), "a yield that nobody takes"),
    ("wake", ("futex", SAMPLES), "half of a round: store, wake the other thread, wait for its answer"),
    ("thread-calls", None, "a thread on a stack that is there: create, exit, wait for its end"),
    ("thread", ("pthread-create", 500), "pthread_create and pthread_join"),
)
# The same of two processes with a tunnel.
SHARED = (
    ("tunnel-round-trip", None, "64 bytes to another process, ring and wait as one call, and 64 bytes back"),
    ("wake-shared", ("futex", SAMPLES), "half of a round: as wake, but the words are a tunnel's and the threads two processes'"),
)
# The same where each page that is accessed is a new one.
PAGES = (
    ("fault", ("page-fault", SAMPLES), "one store to a lazy page, from before it to behind it"),
    ("fault-clear", None, "unmap that page, which clears it"),
)
FEW = 16
LARGE = (
    ("map-large", "map 2 MiB as one large page"),
    ("map-512", "map 2 MiB as 512 pages, whose table is there"),
    ("unmap-large", "unmap the large page, which clears 2 MiB"),
    ("unmap-512", "unmap the 512 pages, which clears them"),
)
SEL4 = "seL4 publishes cycles of silicon, and has not been run on this board"
CREATED = 1024  # KiB more in born-large.yaml than in born-small.yaml


def linux(ctx: Context) -> Run:
    """Stock Linux on the bare board; kept, as it changes only with Debian."""

    def measure() -> Run:
        runs = [run_bare(ctx, f"peerbench {group} {SAMPLES}", name=f"linux-{group}") for group in ("calls", "memory", "switch")]
        how = "; ".join(run.how for run in runs)
        return Run(how, {name: figure for run in runs for name, figure in run.figures.items()})

    return stored(ctx, "linux-process", measure)


def timed(ctx: Context, peer: Run) -> list[Row]:
    """What the programs measure themselves."""
    alone = run_guest(ctx, "calls.yaml", "cost: done", "cost", 120)
    pair = run_guest(ctx, "switch.yaml", "cost: done", "cost", 120)
    pages = run_guest(ctx, "pages.yaml", "cost: done", "cost", 120)
    shared = run_guest(ctx, "shared.yaml", "cost: done", "cost", 120)
    rows = []
    for of, (name, line, what) in [*((alone, row) for row in ROWS), *((pages, row) for row in PAGES), *((shared, row) for row in SHARED)]:
        beside = f"Linux {line[0]} {peer.need(*line).mid:,}" if line else None
        rows.append(Row(name, of.need(name, SAMPLES).mid, UNIT, None, beside, f"{of.how}: {what}, median of {SAMPLES}"))
    large = run_guest(ctx, "large.yaml", "cost: done", "cost", 120)
    rows += [Row(name, large.need(name, FEW).mid, UNIT, how=f"{large.how}: {what}, median of {FEW}") for name, what in LARGE]
    how = f"{pair.how}: half of a yield that comes back from the other process, median of {SAMPLES}; {SEL4}"
    other = f"Linux sched_yield {peer.need('yield-threads', SAMPLES).mid:,}"
    rows.append(Row("switch", pair.need("switch", SAMPLES).mid, UNIT, None, other, how))
    return rows


def created(ctx: Context) -> Row:
    """Pages are looked at, and cleared, when their process begins: more pages, later begin."""
    at = [run_guest(ctx, f"born-{size}.yaml", "cost: done", "cost", 120).need("born", 0).low for size in ("small", "large")]
    how = "./amalgam run bench/process/born-large.yaml --icount less born-small.yaml: when main() begins, by the page; it is zero already"
    return Row("clear-page", round((at[1] - at[0]) / (CREATED / 4), 1), UNIT, how=how)


def said(board: Any, asked: str, words: str) -> int:
    """The number before some words of a command's answer."""
    match = re.search(rf"(\d+) {words}", command(board, asked))
    if not match:
        raise UserError(f"the control console's `{asked}` does not say how many {words}")
    return int(match[1])


def at_rest(ctx: Context, system: str, domains: int = 1) -> tuple[int, int, int]:
    """When all its processes sleep: bytes of free memory, of the first one's own memory, of its tables."""
    with ctx.board(system, icount=True) as board:
        await_monitor(board)
        for name in ("one", "two")[:domains]:
            board[name].expect("rest: at rest", 60)
        own, tables = said(board, "stats one", "KiB, "), said(board, "stats one", "pages of tables")
        return said(board, "mem", "KiB free") * 1024, own * 1024, tables * 4096


def hello(ctx: Context) -> list[Row]:
    """All that one more process takes out of the free memory, and of what it consists."""
    (one, own, tables), (two, _own, _tables) = at_rest(ctx, "rest-1.yaml"), at_rest(ctx, "rest-2.yaml", 2)
    nine, _own, _tables = at_rest(ctx, "rest-9.yaml")
    total, thread = one - two, (one - nine) // 8
    console = "./amalgam run bench/process/rest-1.yaml: `stats one` at the control console"
    differ = "./amalgam run bench/process/rest-1.yaml, then rest-2.yaml: `mem` at the control console, the difference"
    return [
        Row("hello-memory", total, "bytes", how=differ),
        Row("hello-memory-own", own, "bytes", how=f"{console}: image, first stack, heap, and what is not used"),
        Row("hello-memory-tables", tables, "bytes", how=f"{console}: tables of its addresses"),
        Row(
            "hello-memory-thread",
            thread,
            "bytes",
            how="./amalgam run bench/process/rest-1.yaml, then rest-9.yaml: an eighth of the difference; the kernel's thread for the "
            "program's one, with its stack and the extended registers",
        ),
        Row("hello-memory-rest", total - own - tables - thread, "bytes", how="what is left: the record of its threads and frames"),
    ]


def text(ctx: Context) -> Row:
    sizes = [totals(ctx.kernel(shape)) for shape in ("pc", "process")]
    how = "sections .text and .init.text of build/process/amalgam.elf less those of build/pc/amalgam.elf, whose options are otherwise the same"
    return Row("text-process", sizes[1].code + sizes[1].init - sizes[0].code - sizes[0].init, "bytes", how=how)


def run(ctx: Context) -> list[Row]:
    return [*timed(ctx, linux(ctx)), created(ctx), *hello(ctx), text(ctx)]
