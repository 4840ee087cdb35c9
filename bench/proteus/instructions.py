# SPDX-License-Identifier: MIT
"""Tables 2 and 3, interrupt latencies and hypercalls: one guest alone, what it sees of each instruction's cost."""

from __future__ import annotations

from statistics import mean

from amalgam import paths
from amalgam.benches import Context, Row
from amalgam.board.fleet import FleetBoard, fleet_for
from amalgam.errors import UserError
from amalgam.system.partition.compile import compile_system
from amalgam.visits import Findings, note_routines, options, read, symbols

ROUNDS = 64
HOW = "./amalgam bench proteus: guests/ppc405/measure, instructions from before it to after it, itself included"

# Table 2: full virtualization, paravirtualization
PAPER = {
    "rfi": (158, 123),
    "wrteei": (134, 118),
    "mtmsr": (155, 109),
    "mtevpr": (151, 104),
    "mtzpr": (164, 106),
    "mfmsr": (136, 109),
    "mfevpr": (143, 109),
}
PAPER_SPEEDUP = 39.25  # percent, average over all privileged instructions
CALLS = {"vm_yield": 152, "sched_set_param": 238, "create_comm_tunnel": 308, "null": None}
# Table 3, mtevpr: full, para
STEPS = {"save": (41, 41), "dispatch": (66, 22), "emulate": (6, 6), "restore": (38, 35)}


def measured(ctx: Context, system: str) -> tuple[Findings, dict[str, int]]:
    """Run a system of this folder with the counting plugin; its findings and the guest's symbols."""
    made, image = compile_system(ctx.folder / system, ctx.progress)
    guest = symbols(paths.BUILD / "guests" / "ppc405" / "measure.elf")
    out = ctx.file("visits")
    out.unlink(missing_ok=True)
    fleet = fleet_for(made, image)
    fleet.icount = True
    fleet.extra += options(ctx.kernel("ppc405"), out, path=(guest["measure_all"], guest["measure_spin"]))
    with FleetBoard(fleet, keep=ctx.file("logs")) as board:
        board["measure"].expect(rf"measure: done rounds={ROUNDS}\b", 300)
        board.wait(60)
    found = read(out)
    note_routines(found, fleet.kernel, ctx.file("measured.json"))
    return found, guest


def cost(found: Findings, guest: dict[str, int], name: str) -> int:
    """Instructions between the marks of a sequence, the most of all rounds."""
    span = found.spans.get((guest[f"measure_{name}"], guest[f"measure_{name}_end"]))
    if span is None or span.n < ROUNDS:
        raise UserError(
            f"'{name}' was measured {span.n if span else 0} times, {ROUNDS} were asked for",
            "build/bench/proteus/logs has the guest's console",
        )
    return span.high


def names(guest: dict[str, int], prefix: str = "") -> list[str]:
    """Sequences with a prefix; without one those that are plain instructions."""
    found = [n.removeprefix("measure_") for n in guest if n.startswith("measure_") and f"{n}_end" in guest]
    own = [n.removeprefix(prefix) for n in found if n.startswith(prefix)]
    return own if prefix else [n for n in own if not n.startswith(("para_", "irfm_"))]


def rows(ctx: Context) -> list[Row]:
    found, guest = measured(ctx, "measure.yaml")
    full = {name: cost(found, guest, name) for name in names(guest)}
    para = {name: cost(found, guest, f"para_{name}") for name in names(guest, "para_")}
    page = {name: cost(found, guest, f"irfm_{name}") for name in names(guest, "irfm_")}
    unit = "instructions"
    made = []
    for name, value in full.items():
        paper = PAPER.get(name, (None, None))
        made.append(Row(f"{name}-full", value, unit, paper[0], how=HOW))
        if name in para:
            made.append(Row(f"{name}-para", para[name], unit, paper[1], how=f"{HOW}; loading the call's number included"))
        if name in page:
            made.append(Row(f"{name}-irfm", page[name], unit, how=f"{HOW}; a load or store of the register page"))
    both = [name for name in full if name in para]
    made.append(
        Row("average-full", round(mean(full[n] for n in both), 1), unit, how=f"mean of the {len(both)} instructions that have a hypercall")
    )
    made.append(Row("average-para", round(mean(para[n] for n in both), 1), unit, how="mean of the same as hypercalls"))
    speedup = mean(full[n] / para[n] - 1 for n in both) * 100
    made.append(Row("average-speedup", round(speedup, 1), "%", PAPER_SPEEDUP, how="mean of full / para - 1 over the same"))
    made += [Row(name, para[name], unit, paper, how=HOW) for name, paper in CALLS.items() if name != "vm_yield"]
    made.append(
        Row(
            "vm_yield",
            until_scheduler(ctx, found, guest),
            unit,
            CALLS["vm_yield"],
            how=f"{HOW.partition(',')[0]}: to the scheduler's first, as the paper counts",
        )
    )
    made.append(Row("vm_yield-and-back", para["vm_yield"], unit, how=f"{HOW}: in the pool, when nobody else is ready"))
    return made + interrupts(found, guest)


def until_scheduler(ctx: Context, found: Findings, guest: dict[str, int]) -> int:
    """Instructions of a yield up to the scheduler's routine, the guest's two included."""
    call = guest["measure_para_vm_yield"] + 8  # behind the mark and the loading of the number
    path = found.paths.get(call)
    scheduler = symbols(ctx.kernel("ppc405"))["api_yield"]
    if not path or scheduler not in path:
        raise UserError("no yield was seen", "build/bench/proteus/logs has the guest's console")
    return 2 + path.index(scheduler)


def interrupts(found: Findings, guest: dict[str, int]) -> list[Row]:
    """What the kernel adds between the event and the guest's handler."""
    call = found.at(guest["measure_syscall"], ROUNDS)
    timer = found.at(guest["measure_spin"], ROUNDS)
    how = "instructions in the kernel until the guest's vector runs"
    return [
        Row("irq-pit", timer.low, "instructions", 149, how=f"{how}: periodic PIT into a loop, the least of {timer.n}"),
        Row("irq-pit-most", timer.high, "instructions", how="the same when the kernel's own alarm is due at that moment, too"),
        Row("irq-syscall", call.high, "instructions", 101, how=f"{how}: sc in problem mode, the most of {call.n}"),
    ]
