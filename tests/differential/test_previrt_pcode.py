# SPDX-License-Identifier: MIT
"""Pre-virtualization beside an independent description of the PowerPC 4xx (pcode.py): what replaces a privileged instruction leaves all registers as the
instruction would, with random values in random registers, or has the hypervisor do just that instruction: then all is as before it, or, where something waits,
as behind it. The register that a stub borrows is compared once it has its value back, by the stub or by what the hypervisor does (previrt.c).

The description and the PPC405 User's Manual differ in MANUAL; there the manual counts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from amalgam.previrt import Patched, area_of
from amalgam.previrt.code import Code
from amalgam.previrt.decode import rt, split
from amalgam.previrt.encode import CALLS, PAGE
from amalgam.previrt.patch import ATTENTION, CALL_MTPID, CALL_RFI, EE, MSR, QUICK, SAVED, SCRATCH, SLOTS, STUB_WORDS, TABLE, Patcher
from pcode import WORD, Machine, machine_with, spread

ROUNDS = 60  # of each instruction
SEED = 405
BASE, DISTANCE, MEMORY = 0xC0001000, 0xC0000000, 16 << 20
END = BASE + WORD
NOWHERE = 0xFFFFFFFF
MFMSR, MTMSR, WRTEE, WRTEEI, RFI, MFSPR, MTSPR = 0x7C0000A6, 0x7C000124, 0x7C000106, 0x7C000146, 0x4C000064, 0x7C0002A6, 0x7C0003A6
OTHERS = {"rfci": 0x4C000066, "tlbia": 0x7C0002E4, "tlbsx": 0x7C000724, "tlbre": 0x7C000764, "tlbwe": 0x7C0007A4}
REGISTERS = [f"r{i}" for i in range(32)] + [f"cr{i}" for i in range(8)] + ["xer_so", "xer_ov", "xer_ca", "LR", "CTR"]
LI_9 = 0x39200000  # li r9, 0: its value before is nobody's

# How the description writes the MSR is the newer architecture's: it takes EE, IR and DR from PR, too, and leaves bits as they are that the 405 takes.
MANUAL = {MTMSR: "mtmsr: MSR <- (RS), UM 9.3"}


class Trap(Exception):
    """`tw` with a condition that is true."""


def trap_word(_machine: Machine, inputs: list[int]) -> None:
    to, a, b = inputs
    assert to == 24, "only 'unless equal' is known"
    if a != b:
        raise Trap


@pytest.fixture(scope="module")
def machine() -> Machine:
    return machine_with(trapWord=trap_word)


@dataclass
class State:
    """What a guest can see: registers, and where the page keeps those that it has."""

    registers: dict[str, int]
    sprs: dict[int, int]
    msr: int


def drawn(draw: random.Random) -> State:
    sizes = {"cr": 4, "xe": 1}  # bits
    values = {name: draw.getrandbits(sizes.get(name[:2], 32)) for name in REGISTERS}
    return State(values, {number: draw.getrandbits(32) for number in SLOTS}, draw.getrandbits(32))


def load(machine: Machine, state: State) -> None:
    machine.clear()
    for name, value in state.registers.items():
        machine.set_register(name, value)
    for number, value in state.sprs.items():
        machine.set_spr(number, value)
        machine.set_word(PAGE + SLOTS[number], value)
    machine.set_register("MSR", state.msr)
    machine.set_word(MSR, state.msr)


def executed(machine: Machine, word: int, state: State) -> State:
    """What the instruction does on a processor."""
    load(machine, state)
    machine.set_word(BASE, word)
    machine.step(BASE)
    msr = state.registers[f"r{rt(word)}"] if word & ~(31 << 21) in MANUAL else machine.register("MSR")
    return State({name: machine.register(name) for name in REGISTERS}, {number: machine.spr(number) for number in SLOTS}, msr)


def patched(word: int, *behind: int) -> tuple[Patcher, Patched]:
    """An image of it and what follows it."""
    code = Code.__new__(Code)
    code.words = {BASE + WORD * i: one for i, one in enumerate((word, *behind))}
    code.data, code.targets, code.symbols = b"", set(), []
    code.distance, code.end = DISTANCE, 0x10000
    patcher = Patcher(code, MEMORY)
    return patcher, patcher.run()


def run(machine: Machine, done: Patched, state: State, attention: int) -> tuple[str, int, State]:
    """What replaces it: how it ends (done, trap, call) with the call's number, or with how often the MSR was written."""
    load(machine, state)
    machine.set_word(ATTENTION, attention)
    for at, word in done.words:
        if at != NOWHERE:
            machine.set_word(at + DISTANCE, word)
    at, how, number = BASE, "done", 0
    while at != END:
        word = machine.word(at)
        if word & 0xFFFF0000 == 0x98000000:  # stb r0, d(0)
            how, number = "call", (word & 0xFFFF) - (CALLS & 0xFFFF)
            break
        try:
            at = machine.step(at)
        except Trap:
            how = "trap"
            break
        number += word >> 26 == 36 and word & 0xFFFF == MSR & 0xFFFF
    sprs = {n: machine.word(PAGE + SLOTS[n]) for n in SLOTS}
    return how, number, State({name: machine.register(name) for name in REGISTERS}, sprs, machine.word(MSR))


def words(draw: random.Random) -> Iterator[int]:
    """One of each instruction that pre-virtualization knows, with random registers."""
    register = draw.randrange(32) << 21
    yield from (MFMSR | register, MTMSR | register, WRTEE | register, WRTEEI, WRTEEI | EE, RFI)
    for number in SLOTS:
        yield from (MFSPR | register | spread(number), MTSPR | register | spread(number))
    for word in OTHERS.values():
        yield word | (0 if word in (OTHERS["rfci"], OTHERS["tlbia"]) else register | draw.randrange(32) << 16)


def calls(word: int, number: int, done: Patched) -> bool:
    """Whether call `number` is this instruction."""
    if word == RFI:
        return number == CALL_RFI
    if CALL_MTPID <= number < CALL_MTPID + 4 * 32:
        return word == MTSPR | (number - CALL_MTPID) // 4 << 21 | spread(945)
    place = number & (TABLE - 1) if number >= 0x800 else number & (QUICK - 1)
    return dict(done.words)[area_of(MEMORY) + place] == word


def borrowed(machine: Machine, done: Patched, how: str, got: State) -> str:
    """The register whose value nobody needs any more, or none; `got` has that of one that the hypervisor restores where the stub ends by a trap."""
    stub = done.sites[0].stub
    if stub is None:
        return ""
    info = dict(done.words).get(stub - DISTANCE + WORD * (STUB_WORDS - 1), 0)
    name = f"r{info >> 8 & 31}"
    if info & SAVED and how == "trap":
        got.registers[name] = machine.word(SCRATCH)
    return "" if info & SAVED else name


def differing(got: State, want: State, without: str) -> str:
    wrong = [name for name in REGISTERS if name != without and got.registers[name] != want.registers[name]]
    wrong += [f"spr{n}" for n in SLOTS if got.sprs[n] != want.sprs[n]]
    return " ".join([*wrong, "MSR"] if got.msr != want.msr else wrong)


def judged(machine: Machine, word: int, state: State, attention: int, behind: tuple[int, ...]) -> tuple[str, str]:
    """How its replacement ends; and what is wrong with that, or nothing."""
    _, done = patched(word, *behind)
    site = done.sites[0]
    if site.new is None:
        return "stays", ""
    how, number, got = run(machine, done, state, attention)
    without = borrowed(machine, done, how, got)
    if without and (without, behind) != ("r9", (LI_9,)):
        return how, f"{without} is needed"
    if how == "call":
        return how, differing(got, state, without) if calls(word, number, done) else f"call {number:#x} is another instruction"
    want = executed(machine, word, state)
    if how == "trap" and not number:  # before the MSR is written: the hypervisor executes the instruction
        return how, differing(got, state, without) if (want.msr ^ state.msr) & ~EE else "trapped for a change of EE alone"
    if how == "trap" and not attention:
        return how, "trapped though nothing waits"
    if how == "done" and attention and want.msr & EE and not state.msr & EE:
        return how, "let in nothing that waits"
    return how, differing(got, want, without)


def everything(machine: Machine) -> tuple[dict[str, int], list[str]]:
    draw, ends, wrong = random.Random(SEED), dict.fromkeys(("done", "trap", "call", "stays"), 0), []
    for _ in range(ROUNDS):
        for word in words(draw):
            state = drawn(draw)
            if draw.random() < 0.5:  # what most programs do: change EE alone
                state.registers[f"r{rt(word)}"] = state.msr ^ draw.choice((0, EE))
            behind = draw.choice(((), (LI_9,)))
            how, what = judged(machine, word, state, draw.choice((0, 0, draw.getrandbits(32))), behind)
            ends[how] += 1
            if what:
                wrong.append(f"{machine.disassembled(word)}: {what}")
    return ends, wrong


def test_a_replacement_does_what_its_instruction_does(machine: Machine) -> None:
    ends, wrong = everything(machine)
    assert not wrong, wrong[:20]
    assert all(count > ROUNDS for count in ends.values()), ends


def test_where_the_description_is_of_another_processor_is_known(machine: Machine) -> None:
    """What it says of mtmsr differs from the manual, else MANUAL has nothing to decide."""
    draw = random.Random(SEED)
    for word in MANUAL:
        state = drawn(draw)
        want = executed(machine, word, state)
        assert machine.register("MSR") != want.msr


@pytest.mark.parametrize("number", [26, 980])
def test_a_wrong_place_in_the_register_page_would_be_noticed(machine: Machine, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amalgam.previrt.patch.SLOTS", SLOTS | {number: SLOTS[number] + 4})
    _, wrong = everything(machine)
    assert wrong and all("spr" in line for line in wrong)


def test_an_instruction_for_another_register_would_be_noticed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amalgam.previrt.patch.clear_ee", lambda register: 21 << 26 | register << 21 | register << 16 | 18 << 6 | 15 << 1)
    _, wrong = everything(machine)
    assert any(line.startswith("wrteei") for line in wrong)


def test_a_borrowed_register_that_the_hypervisor_does_not_find_would_be_noticed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both traps of a stub have it restored; where it goes on it restores it itself."""
    monkeypatch.setattr("amalgam.previrt.patch.SCRATCH", SCRATCH + 4)
    _, wrong = everything(machine)
    assert {line.split()[0] for line in wrong} == {"mtmsr", "wrtee", "wrteei"}
    assert all(line.endswith((": r11", ": r12")) for line in wrong)


def test_a_borrowed_register_whose_value_is_needed_would_be_noticed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amalgam.previrt.code.Code.dead_register", lambda _code, _at, source: 9 if source != 9 else 10)
    _, wrong = everything(machine)
    assert any(line.endswith("r9 is needed") for line in wrong)


def test_a_number_of_a_register_is_split_as_the_processor_splits_it(machine: Machine) -> None:
    for number in range(1024):
        assert split(MFSPR | spread(number)) == number
    assert machine.disassembled(MFSPR | 5 << 21 | spread(26)) == "mfspr r5,SRR0"
