# SPDX-License-Identifier: MIT
"""Three clocks of a board of many harts: tools/plugin/clocks.c in the emulator, what it wrote here.

own: instructions of one hart. path: the longest chain of instructions that had to follow each other, over doorbells and flags. all: the
sum over all harts. A row of a benchmark says which one it means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from amalgam.errors import UserError
from amalgam.measure import marks, plugin


@dataclass(frozen=True)
class Mark:
    """An executed mark, and the clocks then. `own` and `path` are its hart's."""

    number: int
    hart: int
    own: int
    path: int
    all: int


@dataclass(frozen=True)
class Span:
    """From one mark to another."""

    own: int
    path: int
    all: int


@dataclass(frozen=True)
class Event:
    """Something given or taken: `ring` from a hart to another one; `take` and `flag` by a hart from another one; or `sleep` and `wake` of
    one (`other` is itself). `path`: the hart's own clock, of a taker before it was set. `marks`: how many marks any hart had passed."""

    what: str
    hart: int
    other: int
    path: int
    marks: int = 0


@dataclass(frozen=True)
class Store:
    """A word that a hart stored to, as options(stores=) has asked for. `path`: its clock then. `value`: what the word was then, of a run that
    tells it."""

    hart: int
    address: int
    path: int
    value: int = 0


@dataclass
class Clocks:
    marks: list[Mark] = field(default_factory=list)  # in the order of execution
    events: list[Event] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    harts: dict[int, tuple[int, int]] = field(default_factory=dict)  # own and path at the end
    all: int = 0

    def find(self, number: int, samples: int = 1) -> list[Mark]:
        """All marks of a number; an error when there were fewer than `samples`."""
        found = [mark for mark in self.marks if mark.number == number]
        if len(found) < samples:
            raise UserError(f"mark {number} was passed {len(found)} times, {samples} were wanted", "look at what the board said")
        return found

    def spans(self, begin: int, end: int, samples: int = 1) -> list[Span]:
        """From each mark `begin` to the next mark `end` of the same hart. A begin without its end, or the other way round, is an error."""
        found = marks.pairs(self.marks, begin, end, samples)
        return [Span(last.own - first.own, last.path - first.path, last.all - first.all) for first, last in found]


def options(
    out: Path,
    flags: list[tuple[int, int]] | None = None,
    events: bool = False,
    places: dict[int, int] | None = None,
    stores: list[tuple[int, int, int]] | None = None,
    sleeps: bool = False,
    values: tuple[int, int] | None = None,
) -> list[str]:
    """Words for QEMU. `flags`: physical ranges whose words are flags, each from its first address to that behind its last. `places`: the
    number of the mark that an instruction at a virtual address is. `stores`: each the first physical address whose stores are told, the
    one behind the last, and from one to the next; `values`: and what is stored, on a board whose memory begins at the first number and has so
    many bytes as the second one says."""
    words = f"{plugin.built('clocks')},out={out}" + "".join(f",flag={low:#x}:{high:#x}" for low, high in flags or [])
    words += "".join(f",at={address:#x}:{number}" for address, number in (places or {}).items())
    words += "".join(f",store={first:#x}:{end:#x}:{every}" for first, end, every in stores or [])
    words += ",events=on" * events + ",sleeps=on" * sleeps
    if not values:
        return ["-plugin", words]
    base, size = values
    backend = f"memory-backend-memfd,id=told,size={size},share=on"
    return ["-plugin", f"{words},memory={base:#x}", "-object", backend, "-machine", "memory-backend=told"]


def read(out: Path) -> Clocks:
    """Parse what the plugin wrote; the harts' own clocks must add up."""
    found = Clocks()
    for line in marks.lines_of(out, "the counting plugin"):
        what, *rest = line.split()
        numbers = [int(word, 0) for word in rest]
        if what == "mark":
            found.marks.append(Mark(*numbers))
        elif what in ("ring", "take"):
            found.events.append(Event(what, numbers[0], numbers[1], numbers[2], len(found.marks)))
        elif what == "flag":
            found.events.append(Event(what, numbers[0], numbers[1], numbers[3], len(found.marks)))
        elif what in ("sleep", "wake"):
            found.events.append(Event(what, numbers[0], numbers[0], numbers[1], len(found.marks)))
        elif what == "store":
            found.stores.append(Store(*numbers))
        elif what == "hart":
            found.harts[numbers[0]] = (numbers[1], numbers[2])
        elif what == "end":
            found.all = numbers[0]
    if sum(own for own, _ in found.harts.values()) != found.all:
        raise UserError("the clocks of the harts do not add up", "harts must take turns: icount, or -accel tcg,thread=single")
    return found
