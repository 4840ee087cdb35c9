# SPDX-License-Identifier: MIT
"""What the servers of a many-core cost a program of another cluster (user/servers, docs/servers.md)."""

from __future__ import annotations

from statistics import median

from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.clocks import Clocks, Span

runs, load = module("nanvix", "runs"), module("nanvix-servers", "load")
BATCH = 20  # operations between two marks of the programs
COPIES = 5  # of takecost.c
PROCESS = 5  # the mark before a program in processcost.c, whose program has marks of its own
GRANTS = 3  # of a page: each revocation takes seconds, as fifteen harts have a turn of the host's time each, and all are alike
COPIED = 5  # revocations of a page that other clusters show, which are not alike
ASKS = ("names", "memory", "files")  # systems of one program that asks a server of another cluster


def started(found: Clocks) -> Span:
    """The median from each mark 1 to the mark 2 of what was started there, on another hart. The first mark 2 is the owner's own."""
    pairs = list(zip(found.find(1, runs.SAMPLES), found.find(2, runs.SAMPLES + 1)[1:], strict=True))[-runs.SAMPLES :]
    assert all(first.hart != second.hart for first, second in pairs)
    return Span(0, *(round(median(getattr(b, view) - getattr(a, view) for a, b in pairs)) for view in ("path", "all")))


def capabilities(found: Clocks, how: str) -> list[Row]:
    """Granted: what the owner and what the holder execute for it; with the bell, the path from the one to the other."""
    pairs = list(zip(found.find(1, GRANTS), found.find(4, GRANTS), strict=True))[-GRANTS:]
    grant = sum(runs.window(found, mark, GRANTS).own for mark in (1, 3))
    bell = round(median(mapped.path - sent.path for sent, mapped in pairs))
    revoke = runs.window(found, 5, GRANTS).path
    of = f"median of {GRANTS}"
    return [
        Row(
            "cap-grant",
            grant,
            runs.UNIT,
            how=f"{how}: handle_send() of a page; handle_receive(), handle_map() on another core; {of}; view own",
        ),
        Row("cap-grant-bell", bell, runs.UNIT, how=f"{how}: the same with the bell for which the holder sleeps; {of}; view path"),
        Row("cap-revoke", revoke, runs.UNIT, how=f"{how}: pages_revoke() of a page while 15 cores of its holder compute; {of}; view path"),
    ]


def between_clusters(found: Clocks, how: str) -> Row:
    revoke = runs.window(found, 1, COPIED).path
    of = f"median of {COPIED}"
    return Row(
        "cap-revoke-16", revoke, runs.UNIT, how=f"{how}: CAPS_REVOKE of a page of which 15 other clusters show a copy; {of}; view path"
    )


def failover(ctx: Context) -> Row:
    """The longest of all lookups, two of which meet a server that is dead; by the board's clock, of which a nanosecond is an instruction."""
    path = runs.system(ctx, "failover", 64)
    with ctx.board(path, icount=True) as board:
        least, most, late, n = map(
            int, board["io"].expect(r"failover: (\d+) ns at least, (\d+) ns at most, (\d+) of (\d+) late", 120).groups()
        )
    if not late:
        raise UserError("no lookup met the death of the server", f"let it die earlier in {path.name}")
    how = f"{runs.shown(path)}: the longest of {n} lookups, of which {late} ask a server that is dead; the shortest took {least:,}"
    return Row("failover", most, runs.UNIT, how=f"{how}; patience 10 ms; the board's clock")


def asked(ctx: Context) -> dict[str, load.Counted]:
    """Runs with the marks that load.py wants, by system."""
    marked = load.places(ctx.kernel(runs.SHAPES[64]))
    asking = {name: load.Counted(*runs.counted(ctx, name, 64, places=marked), BATCH) for name in ASKS}
    started_by = runs.counted(ctx, "processes", 64, places=load.places(ctx.kernel("cluster-spawn")))
    return asking | {"processes": load.Counted(*started_by, 1, mark=PROCESS, answered=False)}


def requests(ctx: Context, asking: dict[str, load.Counted]) -> list[Row]:
    """What a program asks of servers in other clusters, and of its own cluster's kernel."""
    one, memory, files, started_by = (asking[name] for name in (*ASKS, "processes"))
    three, how_3 = runs.counted(ctx, "names-3", 64)
    spawn, how_s = runs.counted(ctx, "spawn", 64)
    of = f"median of windows of {BATCH}"
    return [
        *runs.views(
            "name-lookup", runs.window(one.found, 1), BATCH, None, f"{one.how}: nanvix_name_lookup() of a name that was not asked for; {of}"
        ),
        *runs.views(
            "name-lookup-3", runs.window(three, 1), BATCH, None, f"{how_3}: the same with three servers, of which two are asked; {of}"
        ),
        Row(
            "name-lookup-cached", round(runs.window(one.found, 3).own / BATCH), runs.UNIT, how=f"{one.how}: of one that was; {of}; view own"
        ),
        *runs.views(
            "remote-page-miss",
            runs.window(memory.found, 1),
            BATCH,
            None,
            f"{memory.how}: nanvix_rcache_peek() and _put() of a page that is not here; {of}",
        ),
        Row(
            "remote-page-hit",
            round(runs.window(memory.found, 3).own / BATCH),
            runs.UNIT,
            how=f"{memory.how}: of one that is; {of}; view own",
        ),
        *runs.views("file-read-4k", runs.window(files.found, 1), BATCH, None, f"{files.how}: nanvix_vfs_seek() and _read() of 4 KiB; {of}"),
        *runs.views(
            "spawn-process",
            started(spawn),
            1,
            None,
            f"{how_s}: from spawn_start() to the main() of the program, on another core; median of {runs.SAMPLES}",
        ),
        *runs.views(
            "spawn-remote",
            runs.window(started_by.found, PROCESS),
            1,
            None,
            f"{started_by.how}: nanvix_process_start() at another cluster until nanvix_process_wait() has its end; median of {runs.SAMPLES}",
        ),
        *capabilities(*runs.counted(ctx, "capabilities", 64, icount=False)),
    ]


def run_short(ctx: Context) -> list[Row]:
    """The rows that have budgets: those that are the same in every run, without the copies of pages between clusters."""
    return [*requests(ctx, asked(ctx)), failover(ctx), *load.sizes(ctx)]


def run(ctx: Context) -> list[Row]:
    asking = asked(ctx)
    copies, how = runs.counted(ctx, "copies", 64, places=load.places(ctx.kernel("cluster-pages")))
    return [
        *requests(ctx, asking),
        between_clusters(*runs.counted(ctx, "remote-caps", 64)),
        *runs.views("cap-take", runs.window(copies, 1), COPIES, None, f"{how}: CAPS_TAKE, handle_map() and CAPS_DROP; windows of {COPIES}"),
        failover(ctx),
        *load.run(
            ctx,
            {
                "name": asking["names"],
                "memory": asking["memory"],
                "process": asking["processes"],
                "caps": load.Counted(copies, how, COPIES),
                "file": asking["files"],
            },
        ),
        *load.sizes(ctx),
    ]
