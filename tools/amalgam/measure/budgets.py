# SPDX-License-Identifier: MIT
"""Counted budgets (bench/budgets/BENCH.yaml): `ROW: {max: N}` or `{min: N}` for rows of a bench.

`compiler: gcc 12` names whose code was counted: another compiler's counts differ by a few instructions, so they are
reported and do not fail. A row may have a column for it, which counts: `ROW: {max: N, gcc 14: {max: M}}`.
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


def compilers(bench: str) -> tuple[str, str]:
    """This machine's, as the file writes the one that the budgets were counted with, and that one; nothing if it names none."""
    counted = read(bench).get(COMPILER, "")
    program = counted.rpartition(" ")[0]
    if not program:
        return "", ""
    here = subprocess.run([program, "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0].strip()
    return f"{program} {here}", counted


def limits(bench: str) -> dict[str, dict[str, float]]:
    """Row name to its limits, by this machine's compiler where the row has a column for it."""
    here, _counted = compilers(bench)
    found = {}
    for row, limit in read(bench).items():
        if row != COMPILER:
            found[row] = limit.get(here) or {key: value for key, value in limit.items() if key in ("min", "max")}
    return found


def other_compiler(bench: str) -> str:
    """A sentence if this machine's compiler is not the one that the budgets were counted with, else nothing."""
    here, counted = compilers(bench)
    return "" if here == counted else f"compiled by {here}, the budgets are of {counted}"


def binding(bench: str, over: list[str]) -> list[str]:
    """Those of exceeded()'s sentences that count: all by the compiler of the budgets, by another one the rows that have a column for it."""
    here, counted = compilers(bench)
    if here == counted:
        return over
    own = [row for row, limit in read(bench).items() if row != COMPILER and here in limit]
    return [line for line in over if any(line.startswith(f"{row} is ") for row in own)]


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
    counts = binding(bench, over)
    if len(counts) < len(over):
        say(f"{other_compiler(bench)}: not held against it")
    return bool(counts)
