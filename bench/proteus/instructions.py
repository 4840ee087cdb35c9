# SPDX-License-Identifier: MIT
"""Tables 2 and 3, interrupt latencies and hypercalls: one guest alone, what it sees of each instruction's cost."""

from __future__ import annotations

import struct
from pathlib import Path
from statistics import mean

from amalgam import paths
from amalgam.board.fleet import FleetBoard
from amalgam.board.machine import machine_for
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.visits import Findings, note_routines, options, read, symbols
from amalgam.system.compile import compile_system
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

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
BCTR, RFI = 0x4E800420, 0x4C000064
KEPT = (1, 8, 9, *range(272, 276))  # XER, LR, CTR, SPRG0 to 3


def measured(ctx: Context, system: str) -> tuple[Findings, dict[str, int]]:
    """Run a system of this folder with the counting plugin; its findings and the guest's symbols."""
    made, image = compile_system(ctx.folder / system, ctx.progress)
    guest = symbols(paths.BUILD / "guests" / "ppc405" / "measure.elf")
    out = ctx.file("visits")
    out.unlink(missing_ok=True)
    fleet = machine_for(made, image)
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
    return made + steps(ctx, found, guest, {"full": full["mtevpr"], "para": para["mtevpr"]}) + interrupts(found, guest)


def steps(ctx: Context, found: Findings, guest: dict[str, int], totals: dict[str, int]) -> list[Row]:
    """Table 3: where the instructions of an emulated mtevpr go. The kernel's words of its path say what each is for."""
    words = code_of(ctx.kernel("ppc405"))
    made = []
    for column, (kind, total) in enumerate(totals.items()):
        own = 2 if kind == "para" else 1  # the guest's: the instruction; loading the call's number and sc
        begin = guest[f"measure_{'para_' if kind == 'para' else ''}mtevpr"] + 4 * own
        path = found.paths.get(begin)
        if not path:
            raise UserError(f"no mtevpr ({kind}) was seen", "build/bench/proteus/logs has the guest's console")
        split = split_steps([words[at] for at in path])
        if sum(split.values()) + own != total:
            raise UserError(
                f"mtevpr ({kind}): steps of {sum(split.values())} and {own} of the guest are not {total}", "bench/proteus/instructions.py"
            )
        how = f"{HOW.partition(',')[0]}: mtevpr, in the kernel; the guest's own {own} of {total} not in it"
        made += [Row(f"mtevpr-{kind}-{step}", split[step], "instructions", STEPS[step][column], how=how) for step in STEPS]
    return made


def code_of(elf: Path) -> dict[int, int]:
    """The words of a program's code by address."""
    with elf.open("rb") as file:
        parts = [(s["sh_addr"], s.data()) for s in ELFFile(file).iter_sections() if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR]
    return {at + 4 * i: word for at, data in parts for i, (word,) in enumerate(struct.iter_unpack(">I", data[: len(data) // 4 * 4]))}


def split_steps(words: list[int]) -> dict[str, int]:
    """What saves registers at the beginning; from there to the last computed jump, which goes to the routine of this instruction; what gives
    registers back at the end; and between them the instruction's work."""
    save = next(i for i, word in enumerate(words) if not saves(word))
    last = len(words) - next(i for i, word in enumerate(reversed(words)) if not restores(word))
    jump = max(i for i, word in enumerate(words) if word == BCTR) + 1
    return {"save": save, "dispatch": jump - save, "emulate": last - jump, "restore": len(words) - last}


def saves(word: int) -> bool:
    """stw, stmw; mfcr, mfspr, and mtspr of SPRG0 to 3, where a register waits."""
    number = (word >> 16 & 31) | (word >> 6 & 0x3E0)
    return word >> 26 in (36, 47) or (word >> 26 == 31 and (word >> 1 & 1023 == 19 or (word >> 1 & 1023 in (339, 467) and number in KEPT)))


def restores(word: int) -> bool:
    """lwz, lmw; mtcrf; mtspr of LR, CTR, XER; rfi."""
    number = (word >> 16 & 31) | (word >> 6 & 0x3E0)
    extended = word >> 1 & 1023
    return word >> 26 in (32, 46) or (word >> 26 == 31 and (extended == 144 or (extended == 467 and number in (1, 8, 9)))) or word == RFI


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
        Row("irq-pit", timer.low, "instructions", how=f"{how}: periodic PIT into a loop, the least of {timer.n}"),
        Row("irq-pit-most", timer.high, "instructions", 149, how="the same when the kernel's own alarm is due at that moment, too"),
        Row("irq-syscall", call.high, "instructions", 101, how=f"{how}: sc in problem mode, the most of {call.n}"),
    ]
