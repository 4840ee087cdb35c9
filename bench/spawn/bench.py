# SPDX-License-Identifier: MIT
"""What it costs to start a program of 64 KiB that lies in memory."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_guest

SAMPLES = 1000
DONE = "spawncost: done"
UNIT = "instructions"
ROWS = {
    "spawn": "from spawn_start() to the program's main()",
    "spawn-end": "the same, until its owner was told its end, and its memory is zero again",
}


def run(ctx: Context) -> list[Row]:
    owner = run_guest(ctx, "spawn.yaml", DONE, "owner", 120)
    return [Row(name, owner.need(name, SAMPLES).mid, UNIT, how=f"{owner.how}: {what}, median of {SAMPLES}") for name, what in ROWS.items()]
