# SPDX-License-Identifier: MIT
"""A figure in prose is the one that the results have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure import benchdoc, figures
from amalgam.measure.benches import names

DOCUMENTS = figures.marked()
OF_A_BENCH = re.compile(rf"<!--\s*(?:{'|'.join(names())}):[^>]*-->")


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(paths.ROOT)) for path in DOCUMENTS])
def test_figures_in_prose_are_those_of_the_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == figures.current(text), "write it: ./amalgam bench --document"


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(paths.ROOT)) for path in DOCUMENTS])
def test_each_mark_of_a_bench_is_behind_a_figure_that_is_compared(path: Path) -> None:
    """One that a line's end cuts in two, or that stands behind a word, would be read by nobody."""
    text = path.read_text(encoding="utf-8")
    compared = {match.end() for match in figures.MARK.finditer(text)}
    assert [match[0] for match in OF_A_BENCH.finditer(text) if match.end() not in compared] == []


def test_the_pages_that_tell_figures_have_marks() -> None:
    """A pattern that matches nothing would let everything pass."""
    assert sum(len(figures.MARK.findall(path.read_text(encoding="utf-8"))) for path in DOCUMENTS) >= 60


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BENCH", tmp_path)
    (tmp_path / "boat").mkdir()
    rows = [
        ["speed", "", "", "**1,234.56**", "knots", "1"],
        ["load", "", "", "**4,449,000**", "", "1"],
        ["leak", "", "", "**-0.1**", "", "1"],
    ]
    (tmp_path / "boat" / "results.md").write_text(benchdoc.table(benchdoc.COLUMNS, rows))


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("told", "right"),
    [
        ("**1,200**<!-- boat: speed --> knots", "**1,235**<!-- boat: speed --> knots"),
        ("1234.5<!-- boat: speed -->", "1,234.6<!-- boat: speed -->"),
        ("4.5 million<!-- boat: load -->", "4.4 million<!-- boat: load -->"),
        ("4,400 thousand<!-- boat: load -->", "4,449 thousand<!-- boat: load -->"),
        ("| 0.3<!-- boat: leak --> |", "| -0.1<!-- boat: leak --> |"),
        ("some 320, unmarked", "some 320, unmarked"),
    ],
)
def test_a_stale_figure_is_written_as_its_sentence_rounds_it(told: str, right: str) -> None:
    assert figures.current(told) == right
    assert figures.current(right) == right


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize("told", ["3<!-- boat: colour -->", "3<!-- ship: speed -->"])
def test_a_mark_without_a_row_is_refused(told: str) -> None:
    with pytest.raises(UserError, match="a figure in prose names a row"):
        figures.current(told)
