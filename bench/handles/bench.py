# SPDX-License-Identifier: MIT
"""What handles cost: sent and received, withdrawn from holders with and without a page that shows the memory."""

from __future__ import annotations

from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import run_guest

SAMPLES = 1000
DONE = "handlecost: done"
UNIT = "instructions"
ROWS = {
    "withdraw-1": "a page's handle is closed that owns it, and another process has one",
    "withdraw-16": "the same, and the other process has 16",
    "withdraw-page": "the same, and the other process, which does not run, shows the page",
    "info": "one fact about a handle",
}


def run(ctx: Context) -> list[Row]:
    own = run_guest(ctx, "handles.yaml", DONE, "owner", 120)
    both = own.need("send", SAMPLES).mid + own.need("receive", SAMPLES).mid
    how = f"{own.how}: sent by one process, received by another, without waiting; the medians of {SAMPLES} added"
    rows = [Row("send-receive", both, UNIT, how=how)]
    rows += [Row(name, own.need(name, SAMPLES).mid, UNIT, how=f"{own.how}: {what}, median of {SAMPLES}") for name, what in ROWS.items()]
    return rows
