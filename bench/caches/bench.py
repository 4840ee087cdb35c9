# SPDX-License-Identifier: MIT
"""What a kernel call misses in caches like those of the paper's machine, and how large and wide they would have to be."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.caches import Caches, Counts

SAMPLES = 30
BATCH = {"local": 1000, "remote": 20}  # calls between two marks
MARKS = {"local": (3, 4), "remote": (7, 8)}
SYSTEMS = {"local": "kcall-one", "remote": "remote"}  # of bench/nanvix
INSTRUCTIONS, DATA = "8K:2:64", "8K:2:32"
PENALTY = 10  # cycles of a miss
SIZES = (1, 2, 4, 8)  # KiB
WAYS = (1, 2)
PAPER = {"local": ("52.2 %", "18.3 %"), "remote-everything": ("40.5 %", "38.1 %")}  # whose kernel drops all lines around a remote call
POLICIES = ("nothing", "ranges", "everything")


def system(ctx: Context, what: str, policy: str) -> Path:
    source = paths.ROOT / "bench" / "nanvix" / f"{SYSTEMS[what]}.yaml"
    if policy == "nothing":
        return source
    made: Path = module("nanvix", "policy").with_kernel(source, ctx.file(f"{what}-{policy}.yaml"), f"cluster-{policy}")
    return made


def run_with(ctx: Context, what: str, policy: str = "nothing", instructions: str = INSTRUCTIONS, data: str = DATA) -> Caches:
    found: Caches = module("caches", "runs").missed(ctx, system(ctx, what, policy), instructions, data)
    return found


def call_of(found: Caches, what: str) -> tuple[Counts, Counts]:
    """The last windows together, of the caller's hart and of all harts."""
    views = [found.windows(*MARKS[what], SAMPLES, view)[-SAMPLES:] for view in ("own", "all")]
    return sum(views[0][1:], views[0][0]), sum(views[1][1:], views[1][0])


def rows_of(ctx: Context, what: str, policy: str) -> list[Row]:
    found = run_with(ctx, what, policy)
    suffix = f"{what}-{policy}" if policy != "nothing" else what
    calls = SAMPLES * BATCH[what]
    own, all_ = call_of(found, what)
    how = f"bench/nanvix/{SYSTEMS[what]}.yaml, tools/plugin/caches.c, i={INSTRUCTIONS}, d={DATA}: {SAMPLES} windows of {BATCH[what]} calls"
    shares = own.stalled(PENALTY)
    rows = []
    for kind, share, paper in zip("id", shares, PAPER.get(suffix, (None, None)), strict=True):
        missed = getattr(all_, f"missed_{kind}")
        rows.append(Row(f"missed-{kind}-{suffix}", round(missed / calls, 2), "lines", None, None, f"{how}; a call, all harts"))
        stalls = f"{how}; of the caller's time, a miss of {PENALTY} cycles"
        rows.append(Row(f"stalled-{kind}-{suffix}", round(100 * share, 1), "%", paper, None, stalls))
    return rows


def sweep(ctx: Context) -> list[Row]:
    """From which size on a call misses nothing, and the picture of all."""
    missed: dict[tuple[str, int], dict[int, float]] = {}
    for what in SYSTEMS:
        for ways in WAYS:
            for size in SIZES:
                shape = f"{size}K:{ways}:64"
                own, _ = call_of(run_with(ctx, what, instructions=shape), what)
                missed.setdefault((what, ways), {})[size] = own.missed_i / (SAMPLES * BATCH[what])
    module("caches", "plots").sizes(missed, ctx.file("sizes.png"))
    rows = []
    for what in SYSTEMS:
        how = f"bench/nanvix/{SYSTEMS[what]}.yaml, tools/plugin/caches.c, i="
        enough = [size for size in SIZES if missed[what, 2][size] < 1]
        if not enough:
            raise UserError(f"a {what} call misses lines in {SIZES[-1]} KiB of two ways", "give the bench a larger size")
        told = f"{how}NK:2:64, N of {SIZES}: the least in which a call of the caller's hart misses less than one line of instructions"
        rows.append(Row(f"enough-{what}", min(enough), "KiB", None, None, told))
        one = round(missed[what, 1][SIZES[-1]], 2)
        rows.append(Row(f"missed-i-{what}-1-way", one, "lines", None, None, f"{how}{SIZES[-1]}K:1:64: a call, the caller's hart"))
    return rows


def run(ctx: Context) -> list[Row]:
    rows = [row for what in SYSTEMS for policy in (POLICIES if what == "remote" else POLICIES[:1]) for row in rows_of(ctx, what, policy)]
    found = {row.metric: row.value for row in rows}
    names = [name.removeprefix("stalled-i-") for name in found if name.startswith("stalled-i-")]
    shares = {name: (found[f"stalled-i-{name}"], found[f"stalled-d-{name}"]) for name in names}
    module("caches", "plots").stalls(shares, PAPER, ctx.file("fig4-5.png"))
    memory = module("caches", "memory")
    return [
        *rows,
        *sweep(ctx),
        *module("caches", "ways").rows(run_with, ctx),
        *memory.buffer_rows(ctx, INSTRUCTIONS, DATA),
        *memory.noise_rows(ctx, POLICIES, INSTRUCTIONS, DATA),
        *module("caches", "cost").rows(ctx, INSTRUCTIONS, DATA),
    ]
