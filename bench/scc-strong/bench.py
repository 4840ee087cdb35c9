# SPDX-License-Identifier: MIT
"""What a guest with vCPUs on several cores of an SCC pays for its memory, whose pages go from core to core."""

from __future__ import annotations

import re

from amalgam import paths
from amalgam.build import layers
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Run, finished
from amalgam.measure.sizes import totals

SHAPE = "scc-strong"
CORES = (0, 5)
UNIT = "instructions"
PAGES = 2816 - 32  # of guests/ring1/strongcosts.c: those that are touched
DONE = "costs: done"
SAMPLES = 32
MOVES = {
    "strong-move": "a load that takes a page of the other core's",
    "strong-move-write": "a store that does",
    "strong-move-two": "an instruction that takes two",
}
CALLS = {
    "cpu-forget": "a call that has the other vCPU forget a page",
    "cpu-forget-64": "the same of 64 pages",
    "cpu-interrupt": "from a call that raises a line of the other vCPU, which sleeps, to its handler",
}
ONCE = {
    "cpu-start": (1, "from a call that starts the other vCPU to its main()"),
    "locked-add": (128, "an addition under a lock that goes from vCPU to vCPU: all of their instructions by the additions"),
    "touch-first": (PAGES, "a page of 11 MiB that nobody has touched; the mean"),
    "touch-other": (PAGES, "the same page by page from the other vCPU, which has them; the mean"),
}


def guest(ctx: Context) -> list[Row]:
    """Rows of guests/ring1/strongcosts.c."""
    with ctx.board("costs.yaml", icount=True, chosen=CORES) as board:
        ctx.progress("costs: guest")
        board["guest"].expect(re.escape(DONE) + r".*\n", 300)
        text = board["guest"].text.replace("\r", "")
    found = finished(Run("./amalgam run bench/scc-strong/costs.yaml --icount", text=text), DONE)
    if f"{DONE}, 0 wrong" not in text:
        raise UserError(f"the guest has read what it has not written: {text.splitlines()[-1]}", "run it by hand: " + found.how)
    rows = []
    for name, what in (MOVES | CALLS).items():
        figure = found.need(name, SAMPLES)
        how = f"{found.how}, all other cores asleep: {what}; {{}} of {SAMPLES}"
        rows.append(Row(name, figure.mid, UNIT, how=how.format("median")))
        if name in MOVES:
            rows.append(Row(f"{name}-least", figure.low, UNIT, how=how.format("least")))
    return [*rows, *(Row(name, found.need(name, n).mid, UNIT, how=f"{found.how}: {what}") for name, (n, what) in ONCE.items())]


def size(ctx: Context) -> list[Row]:
    """The kernel's bytes, and the lines of what only a guest on several cores needs."""
    kernel = totals(ctx.kernel(SHAPE))
    para = [f"arch/x86/para/{name}" for name in ("strong.c", "strong.h", "strong_space.c")]
    own = [paths.ROOT / "kernel" / name for name in (*para, "vm/para/strong.c", "svm/guest.c", "svm/keep.c")]
    assert set(own) <= set(layers.sources(SHAPE))
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in own)
    how = "sections .text and .init.text of build/scc-strong/amalgam.elf"
    return [
        Row("text", kernel.code + kernel.init, "bytes", how=how),
        Row("lines-strong", lines, "lines", how="wc -l of " + ", ".join(str(file.relative_to(paths.ROOT)) for file in own)),
    ]


def run(ctx: Context) -> list[Row]:
    return [*guest(ctx), *size(ctx)]
