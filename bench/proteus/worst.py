# SPDX-License-Identifier: MIT
"""Worst cases by analysis, beside the paper's, which are worst cases, too: the wait for the lock (3.3), and the dearest privileged
instruction (Table 2 and those that it does not list). In instructions, as the paper counts, and in cycles of a 405's pipeline."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row
from amalgam.wcet.code import MODELS
from amalgam.wcet.image import load
from amalgam.wcet.report import rows as bounds

CORES = 4
# routine of `amalgam wcet`, row, paper: the lock's wait; mtzpr, the dearest of Table 2
WORST = (("lock-wait", "lock-wait-4", 1797), ("vector_0700", "emulate-most", 164))
UNITS = {"instructions": ("", "instructions"), "405": ("-405", "cycles")}


def rows(ctx: Context) -> list[Row]:
    image, made = load(ctx.kernel("ppc405")), []
    for model, (end, unit) in UNITS.items():
        found = {row["metric"]: row["value"] for row in bounds(image, MODELS[model], CORES)[0]}
        how = f"./amalgam wcet --model {model}: {{}}, {CORES} cores"
        made += [Row(f"{row}{end}", found[routine], unit, paper, how=how.format(routine)) for routine, row, paper in WORST]
    return made
