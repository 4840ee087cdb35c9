# SPDX-License-Identifier: MIT
"""Spans between marks of all cores (bench/scc/apps.py): the longest path, what all cores executed, and no figure from a core that is missing."""

from __future__ import annotations

from types import ModuleType

import pytest
from amalgam.errors import UserError
from amalgam.measure.benches import module
from amalgam.measure.coherence import Mark


@pytest.fixture(scope="module")
def apps() -> ModuleType:
    return module("scc", "apps")


def mark(number: int, core: int, own: int, path: int) -> Mark:
    return Mark(number, core, own, path, 0, 0, 0, 0)


TWICE = [  # two cores, of which the second begins later and waits for the first
    *(mark(1, 0, 10, 100), mark(1, 1, 5, 120), mark(2, 0, 60, 150), mark(2, 1, 25, 160)),
    *(mark(1, 1, 30, 170), mark(1, 0, 70, 180), mark(2, 1, 31, 181), mark(2, 0, 170, 280)),
]


def test_from_the_first_begin_to_the_last_end(apps: ModuleType) -> None:
    assert [span.path for span in apps.spans(TWICE, 2)] == [60, 110]


def test_all_cores_instructions_are_counted(apps: ModuleType) -> None:
    assert [span.all for span in apps.spans(TWICE, 2)] == [50 + 20, 100 + 1]
    assert [span.all for span in apps.spans(TWICE, 2, times=1)] == [70]


@pytest.mark.parametrize(
    ("marks", "cores", "part", "times"),
    [(TWICE, 3, 0, None), (TWICE[:-1], 2, 0, None), (TWICE, 2, 1, None), (TWICE, 2, 0, 3), ([], 1, 0, None)],
    ids=["a-core-is-missing", "an-end-is-missing", "another-part", "too-few-times", "nothing"],
)
def test_what_was_not_passed_is_no_figure(apps: ModuleType, marks: list[Mark], cores: int, part: int, times: int | None) -> None:
    with pytest.raises(UserError, match="passed both marks"):
        apps.spans(marks, cores, part, times)


def test_a_speed_up_has_all_cores_beside_it(apps: ModuleType) -> None:
    path, every = apps.speed_up("boat", apps.Span(1000, 1000), apps.Span(50, 1500), "how", 30)
    assert (path.metric, path.value, path.unit, path.paper) == ("boat", 20, "of 30 times", None)
    assert (every.metric, every.value) == ("boat-all", 1.5)
