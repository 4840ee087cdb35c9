# SPDX-License-Identifier: MIT
"""The rules by which the cores' lookup tables (LUTs) are set up: who sees which slice of which controller, checked as a whole.

A rule that is wrong lets one kernel write over another one's memory, and nothing later would tell. So every rule is checked before
anything is written or started: a core sees its own slice, the start-up code and the shared memory, and nothing else of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from amalgam.board.scc import CORES, SHARED_ENTRY
from amalgam.errors import UserError
from amalgam.scc.controllers import CONTROLLERS, SHARED, START_UP, board_address, controller_of, cores_of, slices_of

OWN_ENTRY, START_UP_ENTRY = 0, 255
ENTRIES = 256
MUST = {OWN_ENTRY: "its own memory", SHARED_ENTRY: "the shared memory", START_UP_ENTRY: "the start-up code"}
MORE_SHOWN = 8


@dataclass(frozen=True, order=True)
class Rule:
    """One entry of a core's LUT."""

    core: int
    entry: int
    controller: str
    slice: int

    def __str__(self) -> str:
        return f"core {self.core}, LUT entry {self.entry}"


def made() -> list[Rule]:
    """The rules of this board."""
    rules = []
    for core in range(CORES):
        own = controller_of(core)
        rules.append(Rule(core, OWN_ENTRY, own, cores_of(own).index(core)))
        rules.append(Rule(core, SHARED_ENTRY, CONTROLLERS[0], SHARED))
        rules.append(Rule(core, START_UP_ENTRY, own, START_UP))
    return rules


def read(rows: Any) -> list[Rule]:
    """The rules of a file, whose every value is checked for its type and range."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) and set(row) == set(Rule.__annotations__) for row in rows):
        raise refused(["the rules are no list of {core, entry, controller, slice}"])
    for row in rows:
        if any(type(row[name]) is not int for name in ("core", "entry", "slice")) or not isinstance(row["controller"], str):
            raise refused([f"{row} has a value of another type"])
    return [Rule(**row) for row in rows]


def refused(wrong: Sequence[str]) -> UserError:
    more = f"\n  and {len(wrong) - MORE_SHOWN} more" if len(wrong) > MORE_SHOWN else ""
    return UserError("the LUT rules are wrong: " + "\n  ".join(wrong[:MORE_SHOWN]) + more, "merge anew: ./amalgam scc merge")


def check(rules: Iterable[Rule]) -> None:
    """Refuse rules with everything that is wrong in them."""
    rules = list(rules)
    wrong = [f"{rule}: {what}" for rule in rules if (what := out_of_range(rule) or not_its_own(rule))]
    seen: dict[tuple[int, int], Rule] = {}
    shown: dict[tuple[int, str, int], Rule] = {}
    for rule in rules:
        if seen.setdefault((rule.core, rule.entry), rule) is not rule:
            wrong.append(f"{rule} is there twice")
        elif (first := shown.setdefault((rule.core, rule.controller, rule.slice), rule)) is not rule:
            wrong.append(f"{rule}: slice {rule.slice} of {rule.controller} is at entry {first.entry} already")
    wrong += [
        f"core {core}: entry {entry} does not show {what}"
        for core in range(CORES)
        for entry, what in MUST.items()
        if (core, entry) not in seen
    ]
    if wrong:
        raise refused(wrong)


def out_of_range(rule: Rule) -> str:
    if not 0 <= rule.core < CORES:
        return f"there are the cores 0 to {CORES - 1}"
    if not 0 <= rule.entry < ENTRIES:
        return f"a LUT has the entries 0 to {ENTRIES - 1}"
    if rule.controller not in CONTROLLERS:
        return f"there is no controller '{rule.controller}', but {', '.join(CONTROLLERS)}"
    if not 0 <= rule.slice < slices_of(rule.controller):
        return f"{rule.controller} has the slices 0 to {slices_of(rule.controller) - 1}, not {rule.slice}"
    return ""


def not_its_own(rule: Rule) -> str:
    """What is wrong with what a rule shows, whose values are in range."""
    here = f"slice {rule.slice} of {rule.controller}"
    if rule.slice < START_UP:
        owner = cores_of(rule.controller)[rule.slice]
        if owner != rule.core:
            return f"{here} is core {owner}'s memory"
        return "" if rule.entry == OWN_ENTRY else f"a core's own memory is at entry {OWN_ENTRY}"
    if rule.slice == SHARED:
        return "" if rule.entry == SHARED_ENTRY else f"the shared memory is at entry {SHARED_ENTRY}"
    if rule.controller != controller_of(rule.core):
        return f"{here} is the start-up code of other cores; this core's is behind {controller_of(rule.core)}"
    return "" if rule.entry == START_UP_ENTRY else f"the start-up code is at entry {START_UP_ENTRY}"


def rows(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    return [asdict(rule) for rule in sorted(rules)]


def table_rows(rules: Iterable[Rule]) -> list[list[str]]:
    """A row for each core, a column for each entry that anybody has."""
    by_core: dict[int, dict[int, Rule]] = {}
    for rule in rules:
        by_core.setdefault(rule.core, {})[rule.entry] = rule
    return [
        [str(core), f"({core // 2 % 6},{core // 12})", *(cell(entries.get(entry)) for entry in MUST)]
        for core, entries in sorted(by_core.items())
    ]


def cell(rule: Rule | None) -> str:
    return f"{rule.controller}:{rule.slice} ({board_address(rule.controller, rule.slice):#x})" if rule else ""
