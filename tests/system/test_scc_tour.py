# SPDX-License-Identifier: MIT
"""`run scc`: programs on 48 kernels, and a picture of who talked to whom that is true of what they do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from amalgam.board.scc import CORES
from amalgam.scc import tour

STOPS = {stop.system: stop for stop in tour.STOPS}


def quiet(_text: str) -> None:
    pass


def sums() -> str:
    """Fletcher's, of the words of the grid after ten iterations: numpy's adding in the same order."""
    old = np.zeros((482, 514))
    old[0, 1:-1] = 1 + np.arange(512) % 17
    new = old.copy()
    for _ in range(10):
        new[1:-1, 1:-1] = (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]) * 0.25
        old, new = new, old
    first = np.cumsum(old[:, 1:-1].copy().view(np.uint32).ravel().astype(np.uint64)) & 0xFFFFFFFF
    return f"{first[-1]:x} {int(first.sum()) & 0xFFFFFFFF:x}"


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> tour.Seen:
    return tour.visit(STOPS["rcce"], quiet, tmp_path_factory.mktemp("rcce"))


@pytest.fixture(scope="module")
def bands(tmp_path_factory: pytest.TempPathFactory) -> tour.Seen:
    return tour.visit(STOPS["jacobi-rcce"], quiet, tmp_path_factory.mktemp("jacobi"))


def test_it_shows_who_runs_and_what_the_program_says(messages: tour.Seen) -> None:
    assert f"{CORES} of {CORES} kernels run" in messages.kernels
    assert [line.split(",")[0] for line in messages.lines] == [f"pingpong: UE {ue}" for ue in (1, 2, 46, 47)]
    assert all(line.endswith(" 0 wrong") for line in messages.lines)


def test_core_0_takes_the_lines_of_each_that_it_plays_with(messages: tour.Seen) -> None:
    """Ten times 32 bytes there and back: ten lines each way, and the counters beside them."""
    for core in range(1, CORES):
        assert messages.took[core, 0] >= 20
        assert messages.took[0, core] >= 20
    assert all(lines < 20 for pair, lines in messages.took.items() if 0 not in pair)


def test_neighbours_take_each_others_edges(bands: tour.Seen) -> None:
    """Ten iterations, a row of 4 KiB from each side: 1,280 lines; from others the sums, barriers and what the kernels say."""
    assert bands.lines[0] == f"jacobi: 10 iterations on {CORES} UEs: sums {sums()}"
    for core in range(CORES - 1):
        assert bands.took[core, core + 1] > 1280
        assert bands.took[core + 1, core] > 1280
    assert all(lines < 400 for (core, other), lines in bands.took.items() if abs(core - other) != 1)


def test_it_is_drawn(messages: tour.Seen, bands: tour.Seen, tmp_path: Path) -> None:
    tour.draw([messages, bands], tmp_path / "traffic.png")
    assert (tmp_path / "traffic.png").read_bytes().startswith(b"\x89PNG")
    assert tour.row(bands)[0] == "jacobi-rcce"
