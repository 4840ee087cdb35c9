# SPDX-License-Identifier: MIT
"""docs/benchmarks.md is one page, and says what goals and results say."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure import benchdoc
from amalgam.measure.benches import names


def test_the_claims_say_what_goals_and_results_say() -> None:
    assert benchdoc.DOCUMENT.read_text(encoding="utf-8") == benchdoc.document(), "write it: ./amalgam bench --document"


def test_the_claims_are_one_page() -> None:
    lines = benchdoc.DOCUMENT.read_text(encoding="utf-8").splitlines()
    assert lines.index("<!-- claims -->") <= 30  # then a row a goal
    goals = yaml.safe_load((paths.BENCH / "goals.yaml").read_text(encoding="utf-8"))
    assert len(lines) <= 30 + sum(len(rows) for rows in goals.values())


def test_each_bench_has_its_results() -> None:
    assert [name for name in names() if not benchdoc.recorded(name)] == []


@pytest.mark.parametrize(("page", "file"), [("measuring.md", "README.md"), ("benchmarks.md", "results.md")])
def test_each_bench_is_named_by_the_pages_that_list_them(page: str, file: str) -> None:
    text = (paths.ROOT / "docs" / page).read_text(encoding="utf-8")
    assert [name for name in names() if f"[{name}](../bench/{name}/{file})" not in text] == []


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BENCH", tmp_path)
    (tmp_path / "boat").mkdir()
    rows = [["speed", "5", "a | b 4", "**1,200**", "knots", "1"], ["leaks", "", "", "**3**", "", "1"]]
    (tmp_path / "boat" / "results.md").write_text(benchdoc.table(benchdoc.COLUMNS, rows))


@pytest.mark.usefixtures("results")
def test_misses_come_first() -> None:
    told = benchdoc.claims({"boat": {"speed": {"min": 1000}, "leaks": {"max": 0}}}).splitlines()
    assert told[2] == "| boat: leaks |  |  | at most 0 | **3** | **missed** |"
    assert told[3] == "| boat: speed | 5 | a \\| b 4 | at least 1,000 | **1,200** knots | met |"


@pytest.mark.usefixtures("results")
def test_what_a_reader_must_know_stands_behind_the_verdict() -> None:
    told = benchdoc.claims({"boat": {"leaks": {"max": 3, "note": "3 by construction"}}}).splitlines()
    assert told[2] == "| boat: leaks |  |  | at most 3 | **3** | met; 3 by construction |"


@pytest.mark.usefixtures("results")
def test_a_goal_without_a_row_is_refused() -> None:
    with pytest.raises(UserError, match="a row 'colour' that bench/boat/results.md has not"):
        benchdoc.claims({"boat": {"colour": {"min": 1}}})
