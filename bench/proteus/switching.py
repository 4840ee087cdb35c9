# SPDX-License-Identifier: MIT
"""Table 1: from the end of a turn to the next guest's first instruction, on a board of four cores."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from amalgam import paths
from amalgam.board.fleet import Fleet, FleetBoard
from amalgam.board.machine import machine_for
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.visits import options, read, symbols, text_range
from amalgam.system.compile import compile_system

SAMPLES = 8
RUNS = 8  # of each place where a guest was interrupted the latest visit is kept, which may be a tick without a switch
PAPER = {"save": 135, "schedule": 681, "resume": 240}


@dataclass
class CountedFleet(Fleet):
    """Core 0 is counted, the others only run."""

    def command(self, core: int, ram):
        words = super().command(core, ram)
        if core:
            at = words.index("-plugin")
            del words[at : at + 2]
        return words


def rows(ctx: Context) -> list[Row]:
    made, image = compile_system(ctx.folder / "switch.yaml", ctx.progress)
    kernel = ctx.kernel("ppc405")
    where, switched = symbols(kernel), []
    whole = {where[name] for name in ("alarm_passed", "pool_exchange", "return_from_c")}  # the run's end may cut the last one off
    for _ in range(RUNS):
        found = visits(ctx, made, image, kernel)
        switched += [split(path, where) for path in found if whole <= set(path)]
        if len(switched) >= SAMPLES:
            break
    else:
        raise UserError(f"{len(switched)} switches were seen, {SAMPLES} were asked for", "build/bench/proteus/switch-logs has the consoles")
    how = f"./amalgam bench proteus: bench/proteus/switch.yaml, median of {len(switched)} ends of a turn on core 0 of 4"
    most = f"{how.replace('median', 'the dearest')}, the paper's figures are worst cases"
    dearest = max(switched, key=lambda s: sum(s.values()))
    total = round(median(sum(s.values()) for s in switched))
    return [
        Row("vm-switch", total, "instructions", how=how),
        *(Row(f"vm-switch-{step}", round(median(s[step] for s in switched)), "instructions", how=how) for step in PAPER),
        Row("vm-switch-most", sum(dearest.values()), "instructions", sum(PAPER.values()), how=most),
        *(Row(f"vm-switch-{step}-most", dearest[step], "instructions", PAPER[step], how=most) for step in PAPER),
    ]


def visits(ctx: Context, made, image, kernel) -> list[list[int]]:
    """The paths through the kernel of one run."""
    out = ctx.file("switch-visits")
    out.unlink(missing_ok=True)
    fleet = machine_for(made, image)
    fleet.__class__ = CountedFleet
    guest = paths.BUILD / "guests" / "ppc405" / "checksum.elf"
    fleet.extra += options(kernel, out, path=text_range(guest))
    with FleetBoard(fleet, keep=ctx.file("switch-logs")) as board:
        board.wait(300)
    found = read(out)
    return list(found.paths.values())


def split(path: list[int], where: dict[str, int]) -> dict[str, int]:
    """The instructions of a visit by step: until C takes over; until the next guest's context is loaded; from there."""
    enter = path.index(where["alarm_passed"])
    resume = len(path) - 1 - path[::-1].index(where["return_from_c"])
    return {"save": enter, "schedule": resume - enter, "resume": len(path) - resume}
