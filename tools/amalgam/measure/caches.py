# SPDX-License-Identifier: MIT
"""What each hart's caches miss: tools/plugin/caches.c in the emulator, what it wrote here.

A miss takes no time in the emulator. Who wants stalls says what a miss costs: `Counts.stalled()`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure import marks, plugin


@dataclass(frozen=True)
class Counts:
    """Of a hart: instructions; lines of instructions that it fetched, and how many missed; accesses of data, and how many missed."""

    own: int
    fetches: int
    missed_i: int
    accesses: int
    missed_d: int

    def __sub__(self, before: Counts) -> Counts:
        return Counts(*(getattr(self, name) - getattr(before, name) for name in self.__dataclass_fields__))

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def stalled(self, penalty: float) -> tuple[float, float]:
        """The shares of its time in which a hart waits for instructions and for data, at one instruction a cycle and so many cycles a miss."""
        waits = penalty * self.missed_i, penalty * self.missed_d
        whole = self.own + sum(waits)
        return (waits[0] / whole, waits[1] / whole) if whole else (0.0, 0.0)


@dataclass(frozen=True)
class Mark:
    number: int
    hart: int
    own: Counts
    all: Counts  # of all harts together


@dataclass(frozen=True)
class Miss:
    """Of a hart after so many instructions of its own; `data` or instructions, whose addresses are the emulator's. `marks`: how many marks
    any hart had passed."""

    hart: int
    own: int
    data: bool
    address: int
    marks: int = 0


@dataclass
class Caches:
    marks: list[Mark] = field(default_factory=list)  # in the order of execution
    misses: list[Miss] = field(default_factory=list)
    harts: dict[int, Counts] = field(default_factory=dict)  # at the end

    def windows(self, begin: int, end: int, samples: int = 1, view: str = "own") -> list[Counts]:
        """From each mark `begin` to the next mark `end` of the same hart, as marks.pairs(); view `own`: what it did, `all`: what all did."""
        return [getattr(last, view) - getattr(first, view) for first, last in marks.pairs(self.marks, begin, end, samples)]


def options(
    out: Path, instructions: str = "8K:2:64", data: str = "8K:2:64", misses: tuple[int, int] | None = None, ends: bool = True
) -> list[str]:
    """Words for QEMU. A cache is `bytes:ways:bytes of a line`, with more as tools/plugin/caches.h says; `misses`: between which marks
    each is told; without `ends` an instruction is in the line in which it begins, and in no other."""
    words = f"{plugin.built('caches')},out={out},i={instructions},d={data}"
    words += f",misses={misses[0]}:{misses[1]}" if misses else ""
    return ["-plugin", words + ("" if ends else ",ends=off")]


def read(out: Path) -> Caches:
    """Parse what the plugin wrote; the harts' instructions must add up."""
    lines, found = marks.lines_of(out, "the plugin of caches"), Caches()
    for line in lines[:-1]:
        what, *rest = line.split()
        if what == "miss":
            hart, own, kind, address = rest
            found.misses.append(Miss(int(hart), int(own), kind == "d", int(address, 0), len(found.marks)))
        elif what == "mark":
            number, hart, *counts = map(int, rest)
            found.marks.append(Mark(number, hart, Counts(*counts[:5]), Counts(*counts[5:])))
        else:
            found.harts[int(rest[0])] = Counts(*map(int, rest[1:]))
    if sum(counts.own for counts in found.harts.values()) != int(lines[-1].split()[1]):
        raise UserError("the harts' instructions do not add up", "harts must take turns: icount, or -accel tcg,thread=single")
    return found
