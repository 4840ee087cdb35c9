# SPDX-License-Identifier: MIT
"""Instructions of a PowerPC 4xx by an independent description: Ghidra's SLEIGH, as pypcode translates it to P-code, and an evaluator for that.

A state has registers and memory by bytes. What P-code has no words for (CALLOTHER) is a function for each name: BY_THE_MANUAL, and what a test has besides.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from amalgam import artifacts
from amalgam.errors import SiteError

WORD = 4
EE = 0x8000  # of the MSR
SPRS = 4096  # where the description has the special purpose registers: 4 bytes each, by their numbers
MASKS = {size: (1 << 8 * size) - 1 for size in range(1, 9)}


def signed(value: int, size: int) -> int:
    return value - (1 << 8 * size) if value >> (8 * size - 1) else value


# Of two inputs, whose size is the first one's.
BINARY: dict[str, Callable[[int, int, int], int]] = {
    "INT_ADD": lambda a, b, _: a + b,
    "INT_SUB": lambda a, b, _: a - b,
    "INT_AND": lambda a, b, _: a & b,
    "INT_OR": lambda a, b, _: a | b,
    "INT_XOR": lambda a, b, _: a ^ b,
    "INT_MULT": lambda a, b, _: a * b,
    "INT_EQUAL": lambda a, b, _: a == b,
    "INT_NOTEQUAL": lambda a, b, _: a != b,
    "INT_LESS": lambda a, b, _: a < b,
    "INT_LESSEQUAL": lambda a, b, _: a <= b,
    "INT_SLESS": lambda a, b, size: signed(a, size) < signed(b, size),
    "INT_SLESSEQUAL": lambda a, b, size: signed(a, size) <= signed(b, size),
    "INT_CARRY": lambda a, b, size: a + b > MASKS[size],
    "INT_LEFT": lambda a, b, size: a << b if b < 8 * size else 0,
    "INT_RIGHT": lambda a, b, size: a >> b if b < 8 * size else 0,
    "INT_SRIGHT": lambda a, b, size: signed(a, size) >> min(b, 8 * size - 1),
    "BOOL_AND": lambda a, b, _: a & b,
    "BOOL_OR": lambda a, b, _: a | b,
    "BOOL_XOR": lambda a, b, _: a ^ b,
    "SUBPIECE": lambda a, b, _: a >> 8 * b,
}
UNARY: dict[str, Callable[[int, int], int]] = {
    "COPY": lambda a, _: a,
    "INT_ZEXT": lambda a, _: a,
    "INT_SEXT": signed,
    "INT_NEGATE": lambda a, _: ~a,
    "INT_2COMP": lambda a, _: -a,
    "BOOL_NEGATE": lambda a, _: a ^ 1,
}


Other = Callable[["Machine", list[int]], int | None]


def spread(number: int) -> int:
    """An SPR's number as an instruction has it."""
    return (number & 31) << 16 | number >> 5 << 11


def write_ee(machine: Machine, inputs: list[int]) -> None:
    machine.set_register("MSR", (machine.register("MSR") & ~EE) | (inputs[0] & EE))


def write_ee_bit(machine: Machine, inputs: list[int]) -> None:
    write_ee(machine, [EE if inputs[0] else 0])


# Operations that the description names without saying what they do, by the PPC405 User's Manual, 9.
BY_THE_MANUAL: dict[str, Other] = {"WriteExternalEnable": write_ee, "WriteExternalEnableImmediate": write_ee_bit}


def machine_with(**other: Other) -> Machine:
    """A processor; without pypcode, whose site is not reached, the test is skipped."""
    try:
        return Machine(BY_THE_MANUAL | other)
    except SiteError as error:
        pytest.skip(error.what)


class Machine:
    """A processor: registers and memory, big-endian."""

    def __init__(self, other: dict[str, Other]):
        folder = str(artifacts.pypcode_folder())
        if folder not in sys.path:
            sys.path.append(folder)
        import pypcode

        self._context = pypcode.Context("PowerPC:BE:32:4xx")
        self._registers = self._context.registers
        self._other = other
        self._spaces: dict[str, dict[int, int]] = {}

    def clear(self) -> None:
        self._spaces = {"ram": {}, "register": {}}

    def _get(self, space: str, at: int, size: int) -> int:
        held = self._spaces[space]
        return int.from_bytes(bytes(held.get((at + i) & 0xFFFFFFFF, 0) for i in range(size)), "big")

    def _set(self, space: str, at: int, size: int, value: int) -> None:
        held = self._spaces[space]
        for i, byte in enumerate((value & MASKS[size]).to_bytes(size, "big")):
            held[(at + i) & 0xFFFFFFFF] = byte

    def register(self, name: str) -> int:
        place = self._registers[name]
        return self._get("register", place.offset, place.size)

    def set_register(self, name: str, value: int) -> None:
        place = self._registers[name]
        self._set("register", place.offset, place.size, value)

    def spr(self, number: int) -> int:
        return self._get("register", SPRS + WORD * number, WORD)

    def set_spr(self, number: int, value: int) -> None:
        self._set("register", SPRS + WORD * number, WORD, value)

    def word(self, at: int) -> int:
        return self._get("ram", at, WORD)

    def set_word(self, at: int, value: int) -> None:
        self._set("ram", at, WORD, value)

    def disassembled(self, word: int) -> str:
        found = self._context.disassemble(word.to_bytes(WORD, "big"), 0).instructions[0]
        return f"{found.mnem} {found.body}".strip()

    def step(self, at: int) -> int:
        """Execute the instruction at an address. Returns where the next one is."""
        self._spaces["unique"], self._spaces["const"] = {}, {}
        for op in self._context.translate(self.word(at).to_bytes(WORD, "big"), at).ops:
            to = self._do(op)
            if to is not None:
                return to
        return at + WORD

    def _value(self, node: Any) -> int:
        return node.offset & MASKS[node.size] if node.space.name == "const" else self._get(node.space.name, node.offset, node.size)

    def _do(self, op: Any) -> int | None:
        """An operation. Returns where a branch goes."""
        name, inputs = op.opcode.name, op.inputs
        if name == "IMARK":
            return None
        if name == "BRANCH":
            return int(inputs[0].offset)
        if name == "CBRANCH":
            return int(inputs[0].offset) if self._value(inputs[1]) else None
        if name in ("RETURN", "BRANCHIND"):
            return self._value(inputs[0])
        if name == "STORE":
            self._set("ram", self._value(inputs[1]), inputs[2].size, self._value(inputs[2]))
            return None
        if name == "LOAD":
            result = self._get("ram", self._value(inputs[1]), op.output.size)
        elif name == "CALLOTHER":
            made = self._other[inputs[0].getUserDefinedOpName()](self, [self._value(node) for node in inputs[1:]])
            if made is None:
                return None
            result = made
        elif name in UNARY:
            result = UNARY[name](self._value(inputs[0]), inputs[0].size)
        else:
            result = BINARY[name](self._value(inputs[0]), self._value(inputs[1]), inputs[0].size)
        self._set(op.output.space.name, op.output.offset, op.output.size, int(result))
        return None
