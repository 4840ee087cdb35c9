# SPDX-License-Identifier: MIT
"""Privileged instructions with random values in random registers (guests/ppc405/instructions/random.c), by the emulator of this kernel, beside an
independent description of the PowerPC 4xx (differential/pcode.py). Where the two differ the PPC405 User's Manual counts: MANUAL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from pcode import EE, WORD, Machine, machine_with, spread

pytestmark = pytest.mark.beside

ROUNDS = 40  # of each kind
SEED = 405
CODE = 0x80000
CE, ME, DWE, DE, IR_DR = 0x20000, 0x1000, 0x400, 0x200, 0x30
ALLOWED = CE | EE | ME | DWE | DE
XER = 0xE000007F
KEEPS = (272, 273, 274, 275, 276, 277, 278, 279, 26, 27, 980, 981, 982)
KINDS = ["mtmsr", "wrtee", "wrteei 0", "wrteei 1", "rfi", *KEEPS]
NOP = 0x60000000
OPCODES = {"mtmsr": 0x7C000124, "wrtee": 0x7C000106, "wrteei 0": 0x7C000146, "wrteei 1": 0x7C008146}

# What the description says otherwise: all bits of EVPR are there (UM 10.1: the upper half; the others are 0), and `mtmsr` is that of a newer architecture (UM
# 9.3: MSR <- RS). Two bits of SRR0 and some of ESR, which the manual calls reserved, are kept by both.
MANUAL = {982: 0xFFFF0000}


class Trial(NamedTuple):
    kind: str | int
    gpr: list[int]
    cr: int
    xer: int
    lr: int
    ctr: int
    msr: int
    code: list[int]
    to: int
    source: int  # of what `to` says at the end
    save: int


def stream(state: int) -> Iterator[int]:
    """random_next() of the guests."""
    while True:
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        yield state


def spr(word: int, register: int, number: int) -> int:
    return word | register << 21 | spread(number)


def drawn(numbers: Iterator[int], kind: str | int) -> Trial:
    """As trial() and prepare() do."""
    gpr = [next(numbers) for _ in range(32)]
    cr, xer, lr, ctr, draw = next(numbers), next(numbers) & XER, next(numbers), next(numbers), next(numbers)
    to, source, save = draw & 31, draw >> 5 & 31, draw >> 10 & 31
    while save in (source, to):
        save = (save + 1) & 31
    msr = IR_DR if draw >> 15 & 1 else 0
    if kind in ("mtmsr", "wrtee", "rfi"):
        gpr[to] = (gpr[to] & ALLOWED) | msr
    code = [NOP] * 4 + [0x7C0000A6 | source << 21]
    if isinstance(kind, int):
        code = [spr(0x7C0002A6, save, kind), spr(0x7C0003A6, to, kind), spr(0x7C0002A6, source, kind), spr(0x7C0003A6, save, kind), NOP]
    elif kind == "rfi":
        gpr[save] = CODE + 16
        code[:3] = [spr(0x7C0003A6, save, 26), spr(0x7C0003A6, to, 27), 0x4C000064]
    else:
        code[0] = OPCODES[kind] | (0 if kind.startswith("wrteei") else to << 21)
    return Trial(kind, gpr, cr, xer, lr, ctr, msr, code, to, source, save)


@pytest.fixture(scope="module")
def machine() -> Machine:
    return machine_with(returnFromInterrupt=lambda _machine, inputs: inputs[1])


def executed(machine: Machine, trial: Trial, before: int) -> dict[str, int]:
    """All registers that programs see, by the description and the manual; `before` is the value of the special register that the trial writes."""
    machine.clear()
    for i, value in enumerate(trial.gpr):
        machine.set_register(f"r{i}", value)
    for i in range(8):
        machine.set_register(f"cr{i}", trial.cr >> 4 * (7 - i) & 15)
    for name, value in (("MSR", trial.msr), ("LR", trial.lr), ("CTR", trial.ctr)):
        machine.set_register(name, value)
    for i, word in enumerate(trial.code):
        machine.set_word(CODE + WORD * i, word)
    if isinstance(trial.kind, int):
        machine.set_spr(trial.kind, before)
    at = CODE
    while at != CODE + WORD * len(trial.code):
        at = machine.step(at)
        if trial.kind == "mtmsr" and at == CODE + WORD:
            machine.set_register("MSR", trial.gpr[trial.to])
        if trial.kind in MANUAL:
            machine.set_spr(trial.kind, machine.spr(trial.kind) & MANUAL[trial.kind])
    values = {f"r{i}": machine.register(f"r{i}") for i in range(32)}
    cr = sum(machine.register(f"cr{i}") << 4 * (7 - i) for i in range(8))
    return values | {
        "cr": cr,
        "lr": machine.register("LR"),
        "ctr": machine.register("CTR"),
        "xer": trial.xer,
        "msr": machine.register("MSR"),
    }


def reported(line: str, trial: Trial) -> dict[str, int]:
    """The same as the guest has printed it: what it does not mention has not changed."""
    words = {name: int(value, 16) for name, value in re.findall(r"(\w+)=([0-9a-f]+)", line)}
    values = {f"r{i}": words.get(f"r{i}", value) for i, value in enumerate(trial.gpr)}
    rest = {"lr": words.get("lr", trial.lr), "ctr": words.get("ctr", trial.ctr)}
    assert words["vec"] == 0xC00, line
    return values | rest | {name: words[name] for name in ("cr", "xer", "msr")}


def wrong(machine: Machine, lines: list[str]) -> list[str]:
    """What is wrong, a sentence each."""
    numbers, found = stream(SEED), []
    for n, line in enumerate(lines):
        trial = drawn(numbers, KINDS[n % len(KINDS)])
        is_ = reported(line, trial)
        want = executed(machine, trial, is_[f"r{trial.save}"])
        found += [f"{trial.kind}: {name} is {is_[name]:08x}, not {want[name]:08x}" for name in want if is_[name] != want[name]]
    return found


@pytest.fixture(scope="module")
def lines(fleet_module: Callable[..., Any]) -> list[str]:
    test = {"kernel": "build:instructions.elf", "memory": "16M", "cmdline": f"parts=0x100 rounds={ROUNDS}", "power": "board"}
    with fleet_module({"system": "random", "board": "ref405ep", "domains": {"test": test}}) as board:
        board["test"].expect(r"# done", 120)
        return [line for line in board["test"].text.replace("\r", "").split("\n") if line.startswith("T random trial")]


def test_an_emulated_instruction_does_what_an_independent_description_says(machine: Machine, lines: list[str]) -> None:
    assert len(lines) == ROUNDS * len(KINDS)
    found = wrong(machine, lines)
    assert not found, found[:20]


def test_a_changed_register_would_be_noticed_in_each_kind(machine: Machine, lines: list[str]) -> None:
    numbers, silent = stream(SEED), []
    for n, kind in enumerate(KINDS):
        trial = drawn(numbers, kind)
        line = (
            re.sub(rf" r{trial.source}=[0-9a-f]+", "", lines[n]) + f" r{trial.source}={reported(lines[n], trial)[f'r{trial.source}'] ^ 1:x}"
        )
        silent += [] if wrong(machine, [*lines[:n], line]) else [kind]
    assert not silent
