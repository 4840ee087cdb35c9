# SPDX-License-Identifier: MIT
"""The model of RCCE's programs on many cores (bench/scc/model.py): closed forms, and what was measured on the emulated SCC."""

from __future__ import annotations

from types import ModuleType

import pytest
from amalgam.measure.benches import module

CHUNK, WORDS = 80, 504  # of a whole chunk
ONE_WAY = 159.6  # rcce-32
MEASURED = {  # critical paths by the number of cores (bench/scc/speedups.py, on_all)
    "jacobi": {1: 22182283, 2: 11107840, 48: 495279},
    "matmul": {1: 21092772, 2: 10598748, 4: 5353470, 48: 597380},
    "fft": {1: 12416191, 2: 6298776, 4: 3199033, 48: 292579},
    "ep": {1: 5252640, 2: 2628768, 4: 1318893, 48: 116076},
}


@pytest.fixture(scope="module")
def model() -> ModuleType:
    return module("scc", "model")


@pytest.mark.parametrize("late", [0, 10, 5000, -10, -5000])
def test_a_message_of_one_chunk_is_put_and_then_got(model: ModuleType, late: int) -> None:
    assert model.message(32, CHUNK, late) == max(CHUNK + 8, late) + CHUNK + 8


def test_chunks_overlap(model: ModuleType) -> None:
    whole = CHUNK + WORDS
    assert model.message(4 * model.HALF, CHUNK, 0) == 5 * whole  # the receiver is a chunk behind
    assert model.message(4 * model.HALF, CHUNK, 9000) == 9000 + 4 * whole  # nothing to wait for
    assert model.message(4 * model.HALF, CHUNK, -9000) == 5 * whole


@pytest.mark.parametrize("cores", [1, 2, 3, 48, 100])
def test_jacobis_path_is_its_work_and_two_exchanges(model: ModuleType, cores: int) -> None:
    costs = model.Costs(1000, CHUNK, 500)
    neighbours = min(2, cores - 1)
    rows = -(-480 // cores)
    path = model.path("jacobi", costs, cores)
    assert path <= 10 * (rows * 1000 + neighbours * (500 + 1024))
    assert path == pytest.approx(10 * (480 / cores * 1000 + neighbours * (500 + 1024)), rel=0.1)


def test_an_even_ring_and_a_tree_have_closed_forms(model: ModuleType) -> None:
    costs = model.Costs(1000, CHUNK)
    rows = model.message(3 * 144 * 8, CHUNK, 0)
    assert model.path("matmul", costs, 48) == 48 * 9 * 1000 + 47 * 2 * rows
    levels = [model.message(n * 3 * 16, CHUNK, 0) + model.message(40, CHUNK, 0) for n in (1, 2, 4, 8, 16, 32)]
    assert model.path("ep", costs, 64) == 3 * 1000 + sum(levels) + 192 * 7


def test_it_says_what_a_long_message_takes(model: ModuleType) -> None:
    """RCCE's 8 KiB one way, calibrated by its 32 bytes."""
    assert model.message(8192, CHUNK, 0) == pytest.approx(3035, rel=0.01)


@pytest.mark.parametrize("name", MEASURED)
def test_it_is_within_five_percent_of_48_cores(model: ModuleType, name: str) -> None:
    """Calibrated by one core and two."""
    paths = MEASURED[name]
    costs = model.calibrate(name, paths[1], paths[2], ONE_WAY)
    assert model.off(name, costs, paths) < 0.05


def test_a_core_that_waits_for_nobody_is_an_error(model: ModuleType) -> None:
    machine = model.Machine(2, CHUNK)
    machine.model.start(machine.receive(0, 1, 32))
    with pytest.raises(Exception, match="wait for ever"):
        machine.model.run()
