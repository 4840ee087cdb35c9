# SPDX-License-Identifier: MIT
"""What a switch between two equal tasks costs: the paper's hourglass (VI.A, Fig. 3) and a yield, native against Linux."""

from __future__ import annotations

import re
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.counted import Run, run_bare, run_guest
from amalgam.measure.drawing import pyplot

GAPS = 2000
UNIT = "instructions"
PAPER = {"hourglass-min": "2,100 cycles", "linux-hourglass-min": "6,400 cycles"}


def native_gaps(text: str, phase: str) -> list[int]:
    """The gaps that the task printed, in their order: `gaps context-switch PHASE INDEX eight values`."""
    found = re.findall(rf"^gaps context-switch {phase} \d+((?: \d+)+)\s*$", text, re.MULTILINE)
    return [int(word) for words in found for word in words.split()]


def enough(gaps: list[int], what: str) -> list[int]:
    if len(gaps) != GAPS:
        raise UserError(f"{what}: {len(gaps)} gaps were seen, {GAPS} are a measurement", "see the logs in build/bench/context-switch/")
    return gaps


def middle(values: list[int]) -> int:
    return sorted(values)[len(values) // 2]


def plot(series: list[tuple[str, list[int]]], target: Path) -> None:
    """Two scatter plots one above the other, as the paper's Fig. 3."""
    plt = pyplot()
    figure, axes = plt.subplots(len(series), 1, figsize=(8, 7), sharex=True)
    for axis, (title, gaps) in zip(axes, series, strict=True):
        axis.scatter(range(len(gaps)), gaps, s=2)
        axis.set_title(f"{title}: minimum {min(gaps):,}, median {middle(gaps):,}", fontsize=10)
        axis.set_ylabel("gap [instructions]")
        axis.set_ylim(0, sorted(gaps)[int(len(gaps) * 0.99)] * 1.5)
    axes[-1].set_xlabel("switch")
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)


def native(ctx: Context) -> tuple[Run, list[int], list[int]]:
    """The run of the native tasks: gaps by the end of the slice, gaps by yielding."""
    done = run_guest(ctx, "native.yaml", "bench context-switch yield-max", "bench", 300)
    return done, enough(native_gaps(done.text, "hourglass"), "hourglass"), enough(native_gaps(done.text, "yield"), "yield")


def native_rows(ctx: Context) -> list[Row]:
    """What the budgets are about: needs no Linux."""
    done, gaps, yields = native(ctx)
    how = f"{done.how}: {GAPS} gaps"
    return [Row("yield", min(yields), UNIT, None, None, how), Row("hourglass-min", min(gaps), UNIT, PAPER["hourglass-min"], None, how)]


def run(ctx: Context) -> list[Row]:
    ours, gaps, yields = native(ctx)
    linux = run_bare(ctx, f"peerbench hourglass {GAPS}", name="linux-hourglass")
    linux_gaps = enough([int(word) for word in re.findall(r"^gap (\d+)\s*$", linux.text, re.MULTILINE)], "Linux")
    switch = run_bare(ctx, f"peerbench switch {GAPS}", name="linux-switch")
    peer = switch.need("yield-threads", GAPS)
    ctx.file("gaps.csv").write_text(
        "native,linux\n" + "".join(f"{a},{b}\n" for a, b in zip(gaps, linux_gaps, strict=True)), encoding="utf-8"
    )
    plot([("Amalgam, native tasks", gaps), ("stock Linux, SCHED_RR", linux_gaps)], ctx.file("fig3.png"))
    how = f"{ours.how}: {GAPS} gaps"
    on_linux = f"{linux.how}: {GAPS} gaps"
    return [
        Row("yield", min(yields), UNIT, None, f"Linux sched_yield {peer.low:,}", how),
        Row("yield-median", middle(yields), UNIT, None, f"Linux sched_yield {peer.mid:,}", how),
        Row("hourglass-min", min(gaps), UNIT, PAPER["hourglass-min"], f"Linux {min(linux_gaps):,}", how),
        Row("hourglass-median", middle(gaps), UNIT, None, f"Linux {middle(linux_gaps):,}", how),
        Row("hourglass-max", max(gaps), UNIT, "about 5,000 cycles (second level)", f"Linux {max(linux_gaps):,}", how),
        Row("linux-hourglass-min", min(linux_gaps), UNIT, PAPER["linux-hourglass-min"], None, on_linux),
        Row("linux-yield-min", peer.low, UNIT, None, None, f"{switch.how}: {GAPS} yields"),
        Row("hourglass-ratio", round(min(linux_gaps) / min(gaps), 2), "times", "3.0", None, "linux-hourglass-min / hourglass-min"),
        Row("yield-ratio", round(peer.low / min(yields), 2), "times", None, None, "linux-yield-min / yield"),
    ]
