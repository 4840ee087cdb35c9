# SPDX-License-Identifier: MIT
"""A guest on a string: guests/ppc405/probe does what a test says, and answers.

probe = Probe(board["mon"])
probe.call("vm_control", 2, "stop") == 0
probe.run([MFMSR, TRAP]).r3
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml
from amalgam import paths
from amalgam.board.console import Console

CODE = 0x80000  # where the probe runs what it is given
SC, TRAP = 0x44000002, 0x7FE00008
MSR_EE, MSR_PR, MSR_WE, MSR_CE = 0x8000, 0x4000, 0x40000, 0x20000
VECTORS = {0x300: "dsi", 0x500: "external", 0x700: "program", 0xC00: "sc", 0x1000: "pit", 0x1010: "fit", 0x1020: "watchdog"}
PATIENCE = 30


def split_field(number: int) -> int:
    """An SPR's or DCR's number in its two half fields."""
    return (number & 31) << 16 | number >> 5 << 11


def mfspr(register: int, spr: int) -> int:
    return 0x7C0002A6 | register << 21 | split_field(spr)


def mtspr(spr: int, register: int) -> int:
    return 0x7C0003A6 | register << 21 | split_field(spr)


def mfdcr(register: int, dcr: int) -> int:
    return 0x7C000286 | register << 21 | split_field(dcr)


def mtdcr(dcr: int, register: int) -> int:
    return 0x7C000386 | register << 21 | split_field(dcr)


def li(register: int, value: int) -> int:
    return 0x38000000 | register << 21 | value & 0xFFFF


def lis(register: int, value: int) -> int:
    return 0x3C000000 | register << 21 | value & 0xFFFF


@cache
def calls() -> dict[str, dict[str, Any]]:
    """kernel/api/calls.yaml, the part of this shape, by name."""
    with (paths.ROOT / "kernel/api/calls.yaml").open(encoding="utf-8") as file:
        return {call["name"]: call for call in yaml.safe_load(file)["ppc405"]["calls"]}


def number_of(call: str, position: int, value: int | str) -> int:
    """An argument: a number, or the name that calls.yaml gives it."""
    return calls()[call]["args"][position]["of"].index(value) if isinstance(value, str) else value & 0xFFFFFFFF


@dataclass(frozen=True)
class State:
    """What the first exception after a run saved."""

    vector: str
    pc: int
    msr: int
    cr: int
    esr: int
    dear: int
    r3: int
    r4: int
    r5: int
    r11: int


class Refused(Exception):
    """An access of the probe ended in an exception."""


class Probe:
    def __init__(self, console: Console):
        self.console = console
        self.loaded: list[int] = []
        console.expect(r"probe: ready\r*\n", PATIENCE)

    def ask(self, letter: str, *numbers: int, patience: float = PATIENCE) -> list[int]:
        """Type a command; the numbers of its answer."""
        self.tell(letter, *numbers)
        return self.hear(patience)

    def tell(self, letter: str, *numbers: int) -> None:
        """Type a command whose answer is not awaited yet."""
        self.console.send(" ".join([letter, *(f"{number & 0xFFFFFFFF:x}" for number in numbers)]) + "\n")

    def hear(self, patience: float = PATIENCE) -> list[int]:
        found = self.console.expect(r"^([=!]) ?([0-9a-f ]*)\r*\n", patience)
        if found[1] == "!":
            self.console.expect(r"^= ?[0-9a-f ]*\r*\n", patience)  # the rest of that command
            raise Refused(found[2])
        return [int(word, 16) for word in found[2].split()]

    def read(self, address: int, count: int = 1) -> list[int]:
        return self.ask("r", address, count)

    def write(self, address: int, *words: int) -> None:
        self.ask("w", address, *words)

    def read_bytes(self, address: int, count: int = 1) -> bytes:
        return bytes(self.ask("b", address, count))

    def write_bytes(self, address: int, *values: int) -> None:
        self.ask("s", address, *values)

    def load(self, words: list[int]) -> None:
        """Instructions to CODE, if they are not there yet."""
        if words == self.loaded:
            return
        self.loaded = list(words)
        for at in range(0, len(words), 8):
            self.write(CODE + 4 * at, *words[at : at + 8])

    def run(
        self,
        words: list[int],
        r3: int = 0,
        r4: int = 0,
        r5: int = 0,
        r11: int = 0,
        msr: int = 0,
        at: int = CODE,
        patience: float = PATIENCE,
    ) -> State:
        """Run these instructions to the first exception."""
        self.load(words)
        return self.go(r3, r4, r5, r11, msr, at, patience)

    def go(self, r3: int = 0, r4: int = 0, r5: int = 0, r11: int = 0, msr: int = 0, at: int = CODE, patience: float = PATIENCE) -> State:
        """Run what lies there already."""
        vector, *rest = self.ask("x", at, msr, r3, r4, r5, r11, patience=patience)
        return State(VECTORS.get(vector, f"{vector:x}"), *rest)

    def start_call(self, name: str, *arguments: int | str) -> None:
        """A call that may not come back for long."""
        numbers = [number_of(name, i, value) for i, value in enumerate(arguments)]
        numbers += [0] * (3 - len(numbers))
        self.load([SC, TRAP])
        self.tell("x", CODE, 0, *numbers, calls()[name]["number"])

    def sc(self, number: int, *arguments: int, msr: int = 0) -> State:
        """`sc` with any number and arguments, as machine state."""
        r3, r4, r5 = [*arguments, 0, 0, 0][:3]
        return self.run([SC, TRAP], r3, r4, r5, number, msr)

    def call(self, name: str, *arguments: int | str) -> int:
        """A hypercall; its result as a signed number."""
        state = self.sc(calls()[name]["number"], *(number_of(name, i, value) for i, value in enumerate(arguments)))
        assert (state.vector, state.pc) == ("program", CODE + 4), f"{name} did not come back: {state}"
        return state.r3 - (state.r3 >> 31 << 32)

    def time(self) -> int:
        return self.ask("t")[0]


def probe_domain(**more: Any) -> dict[str, Any]:
    return {"kernel": "build:probe.elf", "memory": "1M"} | more
