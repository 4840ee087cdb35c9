# SPDX-License-Identifier: MIT
"""Misses by tools/plugin/caches.c, against those counted by hand (guests/manycore/cached.c)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.errors import UserError
from amalgam.measure import caches
from amalgam.measure.caches import Caches
from manycores import BOARDS, Start

pytestmark = pytest.mark.beside

SYSTEM = {"kernel": "build:cached.elf", "clusters": {"io": {"kind": "io", "harts": 1}}}
PAGE = 4096 // 64  # lines
CODE = 1024 * 4 // 64


def run(clusters: Start, board: str, out: Path, **more: Any) -> Caches:
    clusters({"system": "cached", "board": board, **SYSTEM}, extra=caches.options(out, **more))
    return caches.read(out)


def data(found: Caches) -> list[int]:
    return [window.missed_d for window in found.windows(1, 2, 11)[:8]]


def instructions(found: Caches) -> list[int]:
    """Of each run of the code: the lines between the marks, and that of the second mark."""
    return [window.missed_i for window in found.windows(1, 2, 11)[8:]]


@pytest.mark.parametrize("board", BOARDS)
def test_misses_are_what_is_counted_by_hand(clusters: Start, board: str, tmp_path: Path) -> None:
    found = run(clusters, board, tmp_path / "caches")
    windows = found.windows(1, 2, 11)
    assert [w.accesses for w in windows[:8]] == [PAGE, PAGE, 4 * PAGE, 4 * PAGE, PAGE, PAGE, PAGE, PAGE]
    assert [w.own for w in windows[:2]] == [3 * PAGE, 3 * PAGE]
    # a page, again; twice what the cache has, again, of which nothing is left; after all was dropped; two lines dropped, one cleaned; stores
    assert data(found) == [PAGE, 0, 3 * PAGE, 4 * PAGE, PAGE, 2, PAGE, 0]
    assert all(CODE + 1 <= w.fetches <= CODE + 16 for w in windows[8:])  # the emulator's blocks begin within lines
    assert instructions(found) == [CODE + 1, 0, 0]


@pytest.mark.parametrize("board", BOARDS)
def test_a_cache_has_the_size_the_ways_and_the_lines_that_are_asked_for(clusters: Start, board: str, tmp_path: Path) -> None:
    small = run(clusters, board, tmp_path / "small", instructions="2K:2:64", data="2K:32:64")
    assert data(small) == [PAGE, PAGE, 4 * PAGE, 4 * PAGE, PAGE, PAGE, PAGE, PAGE]
    assert instructions(small) == [CODE + 1] * 3
    ahead = run(clusters, board, tmp_path / "ahead", instructions="8K:2:64:ahead=1", data="32K:4:128:around")
    assert data(ahead) == [PAGE / 2, 0, 3 * PAGE / 2, 0, PAGE / 2, 1, 0, PAGE / 2]
    assert instructions(ahead)[0] == CODE / 2 + 1


def test_an_instruction_may_be_in_the_line_of_its_first_byte_only(clusters: Start, tmp_path: Path) -> None:
    both, first = (run(clusters, "manycore", tmp_path / "ends", ends=ends).harts[0] for ends in (True, False))
    assert (both.own, both.missed_d) == (first.own, first.missed_d)
    assert both.missed_i > first.missed_i and both.fetches > first.fetches


def test_each_miss_is_told_between_two_marks(clusters: Start, tmp_path: Path) -> None:
    found = run(clusters, "manycore", tmp_path / "told", misses=(1, 2))
    told = [miss for miss in found.misses if miss.data]
    assert len(told) == sum(data(found))
    assert [miss.address - told[0].address for miss in told[:PAGE]] == [64 * i for i in range(PAGE)]
    assert [miss.own - told[0].own for miss in told[:PAGE]] == [3 * i for i in range(PAGE)]


WHOLE = """\
mark 1 0 10 5 4 3 2 10 5 4 3 2
mark 2 0 20 9 7 5 3 20 9 7 5 3
hart 0 25 9 7 5 3
end 25
"""


def test_a_window_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "caches"
    out.write_text(WHOLE, encoding="utf-8")
    assert caches.read(out).windows(1, 2) == [caches.Counts(10, 4, 3, 2, 1)]
    for line in WHOLE.splitlines(keepends=True)[:2]:
        out.write_text(line + WHOLE, encoding="utf-8")
        with pytest.raises(UserError, match="has no other one"):
            caches.read(out).windows(1, 2)


@pytest.mark.parametrize("shape", ["8K", "8K:3:64", "8K:2:60", "0:2:64", "32M:2:64", "8K:2:64:ahead=x", "8K:2:64:round"])
def test_a_shape_that_is_none_is_refused(clusters: Start, shape: str, tmp_path: Path) -> None:
    with pytest.raises((UserError, AssertionError)):
        run(clusters, "manycore", tmp_path / "caches", data=shape)
