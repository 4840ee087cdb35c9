# SPDX-License-Identifier: MIT
"""What Nanvix' own benchmarks measure, by programs of libnanvix as processes: kernel calls and threads, RISC-V."""

from __future__ import annotations

from amalgam import paths
from amalgam.benches import Context, Row
from amalgam.counted import Run, run_guest
from elftools.elf.elffile import ELFFile

UNIT = "instructions"
SAMPLES = 30  # Nanvix' NITERATIONS
MOST = 14  # threads, as the paper's cluster has beside the leader
CYCLES = "{} cycles"
ALL = "one hart, which does all: the view 'all'"


def kcall(ctx: Context) -> list[Row]:
    run = run_guest(ctx, "kcall.yaml", "kcall: done", "kcall", 120)
    how = f"{run.how}: kcall0(NR_thread_get_id), from the program to the program, median of {SAMPLES} windows of 1,000; own view"
    return [Row("kcall-local", run.need("kcall-local-1", SAMPLES).mid, UNIT, CYCLES.format(766), None, how)]


def thread_row(run: Run, what: str, paper: str | None, does: str) -> Row:
    """A thread's share of a window of MOST; the clock ticks every 100 instructions."""
    how = f"{run.how}: {does}, by the thread of {MOST}, median of {SAMPLES} windows; {ALL}"
    return Row(what, run.need(f"{what}-{MOST}", SAMPLES).mid, UNIT, paper, None, how)


def fork_join(ctx: Context) -> list[Row]:
    run = run_guest(ctx, "fork-join.yaml", "fork-join: done", "fork-join", 120)
    one, all_of_them = (run.need(f"spawn-{n}", SAMPLES).mid for n in (1, MOST))
    return [
        thread_row(run, "spawn", CYCLES.format("5,140"), "kthread_create on a stack that is there"),
        thread_row(run, "join", CYCLES.format("3,420"), "kthread_join, and in it the thread's own run and end"),
        Row("spawn-first", run.need("spawn-first", 0).low, UNIT, None, None, f"{run.how}: the first one, whose stack is made; {ALL}"),
        Row("spawn-14-of-1", round(all_of_them / one, 2), "ratio", None, None, f"{run.how}: a thread's share of {MOST} of that of one"),
    ]


def remote(ctx: Context) -> list[Row]:
    """Five clusters, of which only those at work do not sleep: their sum is the path's length and what is done beside it."""
    run = run_guest(ctx, "remote.yaml", "remote: done", "io", 240)
    beside = "of five clusters, from the program to the program; the view 'all'"
    rows = [
        ("kcall-remote", "a call that the master answers at once"),
        ("mailbox", "128 bytes one way, half of there and back, a reader waiting"),
        ("portal-page", "4 KiB one way, allowed, written, read"),
        ("sync", "all of five signal one, which signals all"),
    ]
    return [Row(name, run.need(name, SAMPLES).mid, UNIT, None, None, f"{run.how}: {does}; {beside}") for name, does in rows]


def begins(ctx: Context, system: str) -> tuple[int, str]:
    """When the last cluster's program began, and how that was found."""
    with ctx.board(system, icount=True) as board:
        ctx.progress(system)
        times = [int(board[name].expect(r"^bench when (\d+)", 240)[1]) for name in board.names]
    return max(times), f"./amalgam run bench/nanvix/{system} --icount"


def boot(ctx: Context) -> list[Row]:
    last, how = begins(ctx, "boot.yaml")
    own, how_one = begins(ctx, "boot-one.yaml")
    return [
        Row("boot", last, UNIT, None, None, f"{how}: from reset to the last program's first instruction on 288 harts; the view 'all'"),
        Row("boot-master", own, UNIT, None, None, f"{how_one}: the same of one cluster of one hart; own view"),
    ]


def footprint() -> list[Row]:
    """What stays in a cluster's memory: text, constants with the table of symbols, data."""
    with paths.kernel_elf("cluster").open("rb") as file:
        sizes = {s.name: s["sh_size"] for s in ELFFile(file).iter_sections()}
    total = sum(sizes[name] for name in (".text", ".rodata", ".symtab_k", ".data"))
    return [Row("footprint", total, "bytes", "128 kB", None, "./amalgam size --shape cluster: text, constants, symbols, data")]


def run(ctx: Context) -> list[Row]:
    return [*kcall(ctx), *fork_join(ctx), *remote(ctx), *boot(ctx), *footprint()]
