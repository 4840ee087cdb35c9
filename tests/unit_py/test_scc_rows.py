# SPDX-License-Identifier: MIT
"""The table of bench scc has each parallel program by each model, with all cores' instructions beside it, and no speed-up over its bound."""

from __future__ import annotations

import re

import pytest
from amalgam.board.scc import CORES
from amalgam.measure import benchdoc

PROGRAMS = ("jacobi", "matmul", "fft", "ep")
MODELS = ("lazy", "strong", "openmp", "rcce")
BETWEEN = (2, 8, 32)  # cores
BOUNDS = {"": CORES, "-128x128": 42, "-32x32": 30}  # whole rows: 126 on 48 cores are 3 on some, 30 are one


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, str]]:
    return benchdoc.recorded("scc")


def missing(rows: dict[str, dict[str, str]]) -> list[str]:
    """The rows that should be there."""
    wanted = [f"{program}-{model}-{CORES}" for program in PROGRAMS for model in MODELS]
    wanted += [f"jacobi-{model}-{CORES}{grid}" for model in MODELS for grid in BOUNDS if grid]
    wanted = [name + end for name in wanted for end in ("", "-all")]
    wanted += [f"{program}-{model}-{cores}" for program in PROGRAMS for model in MODELS for cores in BETWEEN]
    return [name for name in wanted if name not in rows]


def test_each_program_is_measured_by_each_model(rows: dict[str, dict[str, str]]) -> None:
    assert missing(rows) == []


def test_what_is_missing_is_named(rows: dict[str, dict[str, str]]) -> None:
    gone = ["ep-strong-48", "jacobi-rcce-48-32x32-all", "jacobi-lazy-8"]
    assert missing({name: row for name, row in rows.items() if name not in gone}) == gone


def test_no_speed_up_is_over_its_bound(rows: dict[str, dict[str, str]]) -> None:
    for name, row in rows.items():
        if match := re.fullmatch(rf"({'|'.join(PROGRAMS)})-({'|'.join(MODELS)})-(\d+)(-\d+x\d+)?(-\w+)*", name):
            bound = BOUNDS[match[4] or ""]
            if name.endswith("-all"):
                assert float(row["ours"]) >= 1, name  # the work of one core is done by all
            else:
                assert float(row["ours"]) <= min(bound, int(match[3])), name
                assert (row["unit"], row["paper"]) == (f"of {min(bound, int(match[3]))} times", ""), name
