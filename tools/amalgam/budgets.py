# SPDX-License-Identifier: MIT
"""Counted budgets (bench/budgets/BENCH.yaml): `ROW: {max: N}` or `{min: N}` for rows of a bench."""

from __future__ import annotations

from amalgam import paths


def limits(bench: str) -> dict[str, dict[str, float]]:
    """Row name to its limits; nothing where no budget is written."""
    import yaml

    path = paths.BENCH / "budgets" / f"{bench}.yaml"
    return (yaml.safe_load(path.read_text(encoding="utf-8")) or {}) if path.is_file() else {}


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
