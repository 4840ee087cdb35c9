# SPDX-License-Identifier: MIT
"""The coherence checker: words for the emulator, and what tools/plugin/coherence.c wrote, with names (docs/coherence.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from amalgam.binary.codenames import Names
from amalgam.errors import UserError
from amalgam.measure import plugin
from amalgam.measure.marks import lines_of

KINDS = {
    "unflushed": "loads what another core has written and not cleaned",
    "stale": "loads from a copy that is older than memory: an invalidate is missing",
    "unordered": "loads what was cleaned, but no doorbell or flag after the clean told this core",
    "shared": "stores to a line that another core holds dirty",
    "lost": "cleans a line over newer bytes of another core",
    "discard": "invalidates a line with bytes of its own that were not cleaned",
    "foreign": "touches memory that belongs to other cores",
}


@dataclass(frozen=True)
class Report:
    """What was found at one place: `core` executed `pc`, `other` had executed `other_pc`. `address` (physical) and `instruction` (of all
    cores together) are of the first of `count` times."""

    what: str
    count: int
    core: int
    pc: int
    address: int
    other: int
    other_pc: int
    instruction: int

    def functions(self, names: Names) -> tuple[str, str, str]:
        """The kind with the functions of both sides."""
        ours, theirs = (names.place(pc)[0].partition("+")[0] for pc in (self.pc, self.other_pc))
        return self.what, ours, theirs


@dataclass(frozen=True)
class Mark:
    """An executed mark; `own` and `path` are its core's clocks then. The last three are lines of all cores together: how many were filled
    from memory, written back, and loaded by a core after another one had stored to them."""

    number: int
    core: int
    own: int
    path: int
    all: int
    filled: int
    cleaned: int
    taken: int


@dataclass
class Coherence:
    reports: list[Report] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    cores: dict[int, tuple[int, int]] = field(default_factory=dict)  # own and path at the end
    took: dict[tuple[int, int], int] = field(default_factory=dict)  # lines that the first core loaded and the second had stored to last
    accesses: int = 0
    instructions: int = 0

    def kinds(self) -> dict[str, int]:
        """How often each kind was found."""
        found: dict[str, int] = {}
        for report in self.reports:
            found[report.what] = found.get(report.what, 0) + report.count
        return found


def options(out: Path, *words: str) -> list[str]:
    """Words for QEMU; `words` are options as the plugin's header says: `nc=80200000:80210000`."""
    return ["-plugin", ",".join([str(plugin.built("coherence")), f"out={out}", *words])]


def read(out: Path) -> Coherence:
    """Parse what the plugin wrote; it must have come to its end, and the counts must add up."""
    lines, found = lines_of(out, "the coherence checker"), Coherence()
    more = 0
    for line in lines[:-1]:
        what, *rest = line.split()
        numbers = [int(word, 0) for word in rest]
        if what == "mark":
            found.marks.append(Mark(*numbers))
        elif what == "core":
            found.cores[numbers[0]] = (numbers[1], numbers[2])
        elif what == "took":
            found.took[numbers[0], numbers[1]] = numbers[2]
        elif what == "more":
            more = numbers[0]
        elif what in KINDS:
            found.reports.append(Report(what, *numbers))
        else:
            raise UserError(
                f"the coherence checker wrote '{line}', which nobody knows", "the plugin and this command are of different versions"
            )
    total, found.accesses, found.instructions = (int(word) for word in lines[-1].split()[1:])
    if sum(report.count for report in found.reports) + more != total:
        raise UserError("the coherence checker's reports do not add up", "was its file written by two boards?")
    return found


def named(report: Report, names: Names) -> dict[str, object]:
    """A report as --json has it."""
    function, line = names.place(report.pc)
    other_function, other_line = names.place(report.other_pc) if report.other_pc else ("", "")
    return {
        "what": report.what,
        "count": report.count,
        "core": report.core,
        "pc": report.pc,
        "function": function,
        "line": line,
        "address": report.address,
        "other": report.other,
        "other_pc": report.other_pc,
        "other_function": other_function,
        "other_line": other_line,
        "instruction": report.instruction,
    }
