# SPDX-License-Identifier: MIT
"""Counted budgets (bench/budgets/BENCH.yaml): `ROW: {max: N}` or `{min: N}` for rows of a bench.

`compiler: gcc 12` names whose code was counted: another compiler's counts differ by a few instructions, so they are
reported and do not fail.
"""

from __future__ import annotations

import subprocess
from typing import Any

from amalgam import paths
from amalgam.ui import say

COMPILER = "compiler"


def read(bench: str) -> dict[str, Any]:
    """The bench's file of budgets; nothing where there is none."""
    import yaml

    path = paths.BENCH / "budgets" / f"{bench}.yaml"
    return (yaml.safe_load(path.read_text(encoding="utf-8")) or {}) if path.is_file() else {}


def limits(bench: str) -> dict[str, dict[str, float]]:
    """Row name to its limits."""
    return {row: limit for row, limit in read(bench).items() if row != COMPILER}


def other_compiler(bench: str) -> str:
    """A sentence if this machine's compiler is not the one that the budgets were counted with, else nothing."""
    program, _, counted = read(bench).get(COMPILER, "").rpartition(" ")
    if not program:
        return ""
    here = subprocess.run([program, "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0].strip()
    return "" if here == counted else f"compiled by {program} {here}, the budgets are of {program} {counted}"


def within(value: float, limit: dict[str, float]) -> bool:
    """Whether a value keeps its limits."""
    return limit.get("min", value) <= value <= limit.get("max", value)


def exceeded(bench: str, values: dict[str, float]) -> list[str]:
    """A sentence for each row outside its budget."""
    found = []
    for row, limit in limits(bench).items():
        value = values.get(row)
        if value is None:
            continue
        if value > limit.get("max", value):
            found.append(f"{row} is {value:,g}, its budget is at most {limit['max']:,g}")
        if value < limit.get("min", value):
            found.append(f"{row} is {value:,g}, its budget is at least {limit['min']:,g}")
    return found


def held(bench: str, over: list[str]) -> bool:
    """Whether a row outside its budget counts. `over` is what exceeded() said. Says if not, and why."""
    other = other_compiler(bench) if over else ""
    if other:
        say(f"{other}: not held against it")
    return bool(over) and not other
