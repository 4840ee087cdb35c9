# SPDX-License-Identifier: MIT
"""Counted figures stay within bench/budgets/: instructions and bytes, which are the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.measure import benches, budgets
from support import within_budget

pytestmark = [pytest.mark.beside, pytest.mark.usefixtures("one_board")]  # counted

SHORT = {  # of these benches, the parts that take seconds
    "footprint": "run",
    "context-switch": "native_rows",
    "exits": "counted_rows",
    "boot": "first_guest",
    "partition": "alone",
    "self": "run",
    "process": "run",
    "files": "run",
    "handles": "run",
    "spawn": "run",
    "net": "without_plots",
    "nanvix": "run_short",
    "nanvix-remote": "run",
    "nanvix-servers": "run_short",
    "scc": "run_short",
    "i586-linux": "run_short",
    "scc-strong": "run",
    "attach": "run_short",
    "mercury": "run_short",
    "applications": "run_short",
}


def measured(name: str, output: Path) -> dict[str, float]:
    """The short part of a bench."""
    part = benches.load(name, SHORT[name])
    return {row.metric: row.value for row in part(benches.Context(name, lambda _text: None, output=output))}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, float]]:
    """The same, where one measurement will do for several tests."""
    return cache(lambda name: measured(name, tmp_path_factory.mktemp(name)))


@pytest.mark.parametrize("name", SHORT)
def test_within_its_budget(name: str, once: Callable[[str], dict[str, float]]) -> None:
    values = once(name)
    missing = [row for row in budgets.limits(name) if row not in values]
    assert not missing, f"budgets of rows that {name} does not measure: {missing}"
    within_budget(name, values)


def test_counted_twice_is_the_same(tmp_path: Path, once: Callable[[str], dict[str, float]]) -> None:
    assert measured("context-switch", tmp_path) == once("context-switch")


def test_a_budget_too_low_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, once: Callable[[str], dict[str, float]]) -> None:
    values = once("footprint")
    (tmp_path / "budgets").mkdir()
    (tmp_path / "budgets" / "footprint.yaml").write_text(f"text-total: {{max: {values['text-total'] - 1}}}\n", encoding="utf-8")
    monkeypatch.setattr(paths, "BENCH", tmp_path)
    assert budgets.exceeded("footprint", values) == [
        f"text-total is {values['text-total']:,g}, its budget is at most {values['text-total'] - 1:,g}"
    ]
