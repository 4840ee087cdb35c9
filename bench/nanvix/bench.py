# SPDX-License-Identifier: MIT
"""What Nanvix' own benchmarks measure, by programs of libnanvix as processes: kernel calls, threads, messages between clusters; RISC-V.

Three views (amalgam.measure.clocks): own, a hart's instructions; path, the longest chain of instructions that follow each other over doorbells and
the words of memory; all, the sum over all harts. Rows that end in -32 are of 32-bit harts.
"""

from __future__ import annotations

import statistics
from functools import partial

from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.errors import UserError
from amalgam.measure import visits
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.counted import run_guest
from amalgam.measure.sizes import totals

part = partial(module, "nanvix")
runs = part("runs")
counted, shown, system, views, window = runs.counted, runs.shown, runs.system, runs.views, runs.window
CYCLES, MOST, SAMPLES, SHAPES, SUFFIX, UNIT = runs.CYCLES, runs.MOST, runs.SAMPLES, runs.SHAPES, runs.SUFFIX, runs.UNIT
SIZES = 8  # KiB of buffer's objects, from 1 on
CALLS = 20  # in a window of kcall beside others
MEET = (2, 5, 9, 13, 17, 20)  # clusters
POLICIES = ("everything", "ranges", "nothing")  # of caches, kernel/cluster/policy.h
FANS = (2, 4, 8, 16, 32)
BATCH = 20  # operations between two marks of remote.c
MEMORY = 2 << 20  # of the clusters of empty.yaml
LEAN = "cluster-lean"


def kcall(ctx: Context, bits: int) -> list[Row]:
    path = system(ctx, "kcall", bits) if bits == 64 else system(ctx, "kcall-one", bits)
    run = run_guest(ctx, path, "kcall: done", "kcall" if bits == 64 else "io", 120)
    how = f"{run.how}: kcall0(NR_thread_get_id), from the program to the program, median of {SAMPLES} windows of 1,000; view own"
    return [Row(f"kcall-local{SUFFIX[bits]}", run.need("kcall-local-1", SAMPLES).mid, UNIT, CYCLES.format(766), None, how)]


def kcall_save(ctx: Context, bits: int) -> list[Row]:
    """Of such a call what the way in and the way out take around the kernel's C: registers, stack, program counter."""
    symbols = visits.symbols(ctx.kernel(SHAPES[bits]), plain=False)
    names = ("user_vector", "saved", "return", "restored")  # kernel/arch/riscv/user/entry.S
    if missing := [name for name in names if name not in symbols]:
        raise UserError(f"the kernel has no symbol {', '.join(missing)}", "kernel/arch/riscv/user/entry.S names the places")
    found, how = counted(ctx, "kcall-one", bits, {symbols[name]: 11 + i for i, name in enumerate(names)})
    window = [m for m in found.marks if m.number in (3, 4)][:2]
    first, last = (found.marks.index(m) for m in window)
    marks = found.marks[first + 1 : last]
    ways = [b.own - a.own for a, b in zip(marks, marks[1:], strict=False) if (a.number, b.number) in ((11, 12), (13, 14))]
    if len(ways) < 2 * SAMPLES or len(set(ways)) > 2:
        raise UserError(f"{len(ways)} ways in and out of different lengths", "look at what the board said")
    how = f"{how}: of a call of kcall-local from the vector to the kernel's C, and from there to the program; view own"
    return [Row(f"kcall-local-save{SUFFIX[bits]}", sum(set(ways)) + 1, UNIT, CYCLES.format(164), None, how)]


def remote(ctx: Context, bits: int) -> list[Row]:
    found, how = counted(ctx, "remote", bits)
    met, how_met = counted(ctx, "sync", bits)
    rows = [
        ("kcall-remote", found, 7, 1, f"{how}: a call that the master answers at once"),
        ("mailbox", found, 3, 2, f"{how}: 128 bytes one way, half of there and back, a reader waiting"),
        ("portal-page", found, 5, 1, f"{how}: 4 KiB one way, allowed, written, read"),
        ("sync", found, 1, 1, f"{how}: all of five signal one, which signals all"),
        ("sync-16", met, 1, 1, f"{how_met}: the same of sixteen"),
    ]
    return [
        row
        for name, of, mark, parts, does in rows
        for row in views(f"{name}{SUFFIX[bits]}", window(of, mark), BATCH * parts, None, f"{does}; median of windows of {BATCH}")
    ]


def policies(ctx: Context) -> list[Row]:
    """What remote calls do to caches that are not coherent. The rows without a policy are those of coherent ones."""
    costs, rows = part("policy"), []
    for policy in POLICIES:
        if policy != "nothing":
            costs.with_kernel(ctx.folder / "remote.yaml", ctx.file(f"remote-{policy}.yaml"), f"cluster-{policy}")
            found, how = counted(ctx, f"remote-{policy}", 64)
            rows += [
                Row(f"{name}-{policy}", round(window(found, mark).path / (BATCH * parts)), UNIT, None, None, f"{how}; view path")
                for name, mark, parts in (("kcall-remote", 7, 1), ("mailbox", 3, 2), ("portal-page", 5, 1))
            ]
        how = f"bench/nanvix/policy.yaml, policy {policy}, tools/plugin/coherence.c: lines of data, all cores, median of {SAMPLES} windows"
        for name, (filled, cleaned, taken) in costs.lines(ctx, policy, SAMPLES, BATCH).items():
            if policy == "nothing":
                rows.append(Row(f"taken-{name}", round(taken, 1), "lines", None, None, f"{how}; loaded after another core's store"))
                continue
            rows += [
                Row(f"fetched-{name}-{policy}", round(filled, 1), "lines", None, None, f"{how}; fetched again"),
                Row(f"written-{name}-{policy}", round(cleaned, 1), "lines", None, None, f"{how}; written back"),
            ]
    return rows


def portal(ctx: Context, bits: int) -> list[Row]:
    rows: list[Row] = part("portal").rows(ctx, counted, bits, SUFFIX[bits])
    return rows


def noise(ctx: Context, bits: int) -> list[Row]:
    """Beside callers of the master, then also under a storm of rings of another cluster, whose one hart is 1."""
    noises = part("noise")
    rows = []
    for system_name, window_row, rings_row, storm in (
        ("noise", "noise-window", "noise-rings", ""),
        ("noise-storm", "noise-worst", "noise-worst-rings", " and under a storm of {} rings of it by another cluster"),
    ):
        found, how = counted(ctx, system_name, bits, events=True)
        noises.need_busy(found, MOST - 1)
        rung = noises.stormed(found, 0, 1)
        if storm and rung < SAMPLES:
            raise UserError(f"the master was rung {rung} times by another cluster: no storm", "look at what the board said")
        how = f"{how}: a worker beside {MOST - 1} callers of the master{storm.format(rung)}, "
        longest = f"{how}its longest window less the shortest alone; view own"
        rows += [
            Row(f"{window_row}{SUFFIX[bits]}", noises.window(found, SAMPLES), UNIT, "0.9 %", None, longest),
            Row(
                f"{rings_row}{SUFFIX[bits]}",
                noises.rings(found),
                "rings",
                None,
                None,
                f"{how}rings of its hart that answer no call of its own",
            ),
        ]
    return rows


def concurrent(ctx: Context, bits: int) -> list[Row]:
    """Threads that call the master, or pass objects to each other, at the same time: counted, then put into the order of time."""
    callers, buffers = part("callers"), part("buffer")
    found, how = counted(ctx, "callers", bits)
    costs = callers.costs(found, MOST, CALLS)
    path = statistics.median(span.path for span in found.spans(1, 2)[: callers.WINDOWS]) / CALLS
    master = round(costs[MOST].master)
    call = buffers.Remote(round(path) - master, master)
    of_14 = f"{how}: {MOST} threads call the master, {callers.WINDOWS} windows of {CALLS} each; {{}}"
    rows = [
        Row(f"kcall-remote-14{SUFFIX[bits]}", round(costs[MOST].all), UNIT, None, None, of_14.format("a call; view all")),
        Row(f"kcall-remote-14-master{SUFFIX[bits]}", master, UNIT, None, None, of_14.format("of it the master's own; view own")),
    ]
    ahead = callers.ahead_of(MOST - 1, call.caller, call.master)
    replay = f"replayed in time order from {how}, tools/amalgam/measure/replay.py"
    rows.append(
        Row(f"noise-call{SUFFIX[bits]}", ahead, "services", None, None, f"{replay}: before a call of one more than {MOST - 1} callers")
    )
    if bits == 32:
        return rows
    program = programs.make_program("nanvix-buffer", ctx.progress, MACHINES["riscv64"])
    passed, how = counted(ctx, "buffer", bits, buffers.places(ctx.kernel(SHAPES[bits]), program))
    replay = f"replayed in time order from {how}, tools/amalgam/measure/replay.py: {{}} of 7 pairs' ideal speed-up"
    pairs = MOST // 2
    local, remote = (buffers.speed_ups(passed, pairs, SIZES, how_called) for how_called in (None, call))
    worst = min(range(2, SIZES + 1), key=lambda kib: local[pairs, kib])
    rows += [
        Row("buffer-7", round(local[pairs, worst], 3), "ratio", 0.95, None, replay.format(f"the lowest from 2 KiB on, at {worst} KiB,")),
        Row("buffer-7-8k", round(local[pairs, SIZES], 3), "ratio", 0.95, None, replay.format("at 8 KiB,")),
        Row(
            "buffer-7-remote",
            round(remote[pairs, 4], 3),
            "ratio",
            0.95,
            None,
            replay.format("each operation also a call of the master, at 4 KiB,"),
        ),
    ]
    part("plots").callers(costs, ctx.file("fig5.png"))
    part("plots").buffer(local, remote, pairs, SIZES, ctx.file("fig6.png"))
    return rows


def barriers(ctx: Context) -> list[Row]:
    """The paths of barriers of 2 to 20 clusters, and what a model that is calibrated by them says of 4,096."""
    model, paths_of = part("scaling"), {}
    text = (ctx.folder / "sync-of.yaml").read_text(encoding="utf-8")
    for n in MEET:
        ctx.file(f"sync-of-{n}.yaml").write_text(text.replace("{count: 1,", f"{{count: {n - 1},"), encoding="utf-8")
        paths_of[n] = window(counted(ctx, f"sync-of-{n}", 64)[0], 1).path / BATCH
    costs = model.calibrate(paths_of)
    how = f"bench/nanvix/sync-of.yaml with {', '.join(map(str, MEET))} clusters"
    modelled = f"{how}; bench/nanvix/scaling.py: {{}}"
    trees = {fan: model.barrier(model.MOST, fan, costs, fan + 1) for fan in FANS}
    fan = min(trees, key=lambda k: trees[k])
    part("plots").barriers(paths_of, model, costs, fan, ctx.file("barriers.png"))
    rows = [Row(f"sync-of-{n}", round(paths_of[n]), UNIT, None, None, f"{how}: all signal one, which signals all; view path") for n in MEET]
    return [
        *rows,
        Row(
            "sync-model-off",
            round(model.worst(paths_of, costs), 3),
            "ratio",
            None,
            None,
            modelled.format("how far the model is from these, at most"),
        ),
        Row("sync-4096", model.barrier(model.MOST, model.MOST, costs), UNIT, None, None, modelled.format("4,096 clusters")),
        Row(
            "sync-4096-tree",
            model.barrier(model.MOST, fan, costs),
            UNIT,
            None,
            None,
            modelled.format(f"the same in a tree of {fan} children"),
        ),
        Row(
            "sync-4096-lanes",
            trees[fan],
            UNIT,
            None,
            None,
            modelled.format("and lanes only to its neighbours in the tree, the best of 2 to 32 children"),
        ),
        Row("sync-breaks", model.breaks_at(costs, fan), "clusters", None, None, modelled.format("from so many on that tree is faster")),
    ]


def begins(ctx: Context, name: str, bits: int = 64) -> tuple[int, str]:
    """When the last cluster's program began, and how that was found."""
    path = system(ctx, name, bits)
    with ctx.board(path, icount=True) as board:
        ctx.progress(path.stem)
        times = [int(board[name].expect(r"^bench when (\d+)", 240)[1]) for name in board.names]
    return max(times), shown(path)


def boot(ctx: Context) -> list[Row]:
    last, how = begins(ctx, "boot")
    rows = [Row("boot", last, UNIT, None, None, f"{how}: from reset to the last program's first instruction on 288 harts; view all")]
    for bits in (64, 32):
        own, how = begins(ctx, "boot-one", bits)
        rows.append(Row(f"boot-master{SUFFIX[bits]}", own, UNIT, None, None, f"{how}: the same of one cluster of one hart; view own"))
    return rows


def footprint(ctx: Context, bits: int) -> list[Row]:
    """What stays in a cluster's memory: text, constants, data. The lean kernel has the calls of the paper's; the default one more."""
    shapes = {"footprint": LEAN, "footprint-default": SHAPES[64]} if bits == 64 else {"footprint-default-32": SHAPES[32]}
    how = "./amalgam size --shape {}: text, constants, data"
    return [Row(row, totals(ctx.kernel(shape)).resident, "bytes", None, None, how.format(shape)) for row, shape in shapes.items()]


def footprint_all(ctx: Context) -> list[Row]:
    """What a kernel takes of its cluster's memory before it has a program: also stacks, tables, buffers, and what begins as zeros."""
    rows = []
    for shape, rows_of in (
        (LEAN, {"footprint-all": "compute", "footprint-all-4": "io"}),
        (SHAPES[64], {"footprint-all-default": "compute"}),
    ):
        path = part("policy").with_kernel(ctx.folder / "empty.yaml", ctx.file(f"empty-{shape}.yaml"), shape)
        with ctx.board(path, icount=True) as board:
            ctx.progress(path.stem)
            free = {name: int(board[name].expect(r"text freed, (\d+) KiB free", 60)[1]) for name in board.names}
        how = f"{shown(path)}: 2 MiB less what is free; {{}} harts"
        rows += [
            Row(row, MEMORY - (free[name] << 10), "bytes", "128 kB", None, how.format(17 if name == "compute" else 4))
            for row, name in rows_of.items()
        ]
    return rows


def run_short(ctx: Context) -> list[Row]:
    """The rows that have budgets."""
    measures = (kcall, kcall_save, part("threads").shares, remote, portal, concurrent, noise, footprint)
    rows = [row for bits in (64, 32) for measure in measures for row in measure(ctx, bits)]
    found = {row.metric: row.value for row in rows}
    calls = {bits: (found[f"kcall-local{s}"], found[f"kcall-local-save{s}"]) for bits, s in SUFFIX.items()}
    part("plots").local(calls, ctx.file("fig4.png"))
    return [*rows, *part("threads").first(ctx), *barriers(ctx), *boot(ctx), *footprint_all(ctx)]


def run(ctx: Context) -> list[Row]:
    """Also those of as many machines as a picture has points."""
    efficiency = part("noise").efficiencies(ctx, counted, MOST, SAMPLES)
    part("plots").noise(efficiency, ctx.file("fig7.png"))
    how = f"build/bench/nanvix/noise-of-N.yaml, N of 1 to {MOST}: the shortest window alone by the longest beside callers, the lowest; view own"
    together, by_clusters, by_harts = part("together").rows(ctx, counted)
    part("plots").together(by_clusters, by_harts, ctx.file("together.png"))
    return [
        *run_short(ctx),
        *policies(ctx),
        Row("noise-efficiency", round(min(efficiency.values()), 4), "ratio", 0.991, None, how),
        *together,
    ]
