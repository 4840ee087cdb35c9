# SPDX-License-Identifier: MIT
"""A counted run of clusters as a timeline and a matrix: what of an outbox is a message, when harts are awake, what arrows join."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from amalgam import traffic
from amalgam.clocks import Clocks, Event, Mark, Store

NOC, OUTBOX = 0x80400000, 0x10000
MARK = Mark(7, 1, 30, 130, 200)


@pytest.fixture
def system() -> Any:
    """Two clusters: harts 0 and 2, hart 1."""
    clusters = [
        SimpleNamespace(name=name, number=i, harts=len(harts), own_harts=harts)
        for i, (name, harts) in enumerate([("io", [0, 2]), ("a", [1])])
    ]
    return SimpleNamespace(name="two", noc=NOC, outbox=OUTBOX, clusters=clusters)


def slot(sender: int, to: int, number: int) -> int:
    return NOC + sender * OUTBOX + 2048 * to + 64 + 192 * number


def test_the_begin_of_a_message_is_told_from_its_data_and_from_portals_data(system: Any) -> None:
    receiver = lambda address: traffic.receiver(system, address)  # noqa: E731
    assert [receiver(slot(1, 0, n)) for n in (0, 7)] == [(1, 0), (1, 0)]
    assert receiver(slot(0, 1, 3)) == (0, 1)
    assert receiver(NOC) is None and receiver(slot(0, 1, 0) + 64) is None and receiver(slot(0, 1, 7) + 128) is None
    assert receiver(slot(0, 0, 8)) is None  # behind the last slot
    assert receiver(NOC + 4096) == (0, None) and receiver(NOC + 2 * OUTBOX - 64) == (1, None)


def test_messages_are_counted_by_sender_and_receiver_data_by_sender(system: Any) -> None:
    stores = [Store(0, at, 5) for at in (slot(0, 1, 0), slot(0, 1, 1), slot(0, 1, 1) + 64, NOC + 8192, NOC + 8256)]
    made = traffic.traffic(system, Clocks(stores=[*stores, Store(1, slot(1, 0, 0), 9)]))
    assert made.matrix(2) == [[0, 2], [1, 0]]
    assert made.data == {0: 128}


FOUND = Clocks(
    marks=[MARK],
    events=[
        Event("sleep", 1, 1, 10),
        Event("wake", 1, 1, 10),  # a turn given away
        Event("sleep", 1, 1, 20),
        Event("ring", 0, 1, 120),
        Event("take", 1, 0, 20),
        Event("wake", 1, 1, 120),
        Event("ring", 0, 2, 125),
        Event("take", 2, 0, 0),
        Event("sleep", 1, 1, 140),
    ],
    stores=[Store(0, slot(0, 1, 0), 118), Store(0, slot(0, 1, 0) + 64, 119)],
    harts={0: (200, 200), 1: (40, 140), 2: (9, 134)},
    all=249,
)


def test_a_hart_is_awake_between_sleeps_that_took_time() -> None:
    assert traffic.awake(FOUND) == {0: [(0, 200)], 1: [(0, 20), (120, 140)], 2: [(0, 134)]}


def test_the_timeline_has_a_process_a_cluster_and_an_arrow_a_ring_between_two(system: Any) -> None:
    records = traffic.timeline(system, FOUND)["traceEvents"]
    assert [(r["pid"], r["args"]["name"]) for r in records if r["name"] == "process_name"] == [(0, "io"), (1, "a")]
    assert [(r["pid"], r["tid"], r["args"]["name"]) for r in records if r["name"] == "thread_name"] == [
        (0, 0, "master"),
        (0, 1, "core 1"),
        (1, 0, "master"),
    ]
    assert [(r["pid"], r["tid"], r["ts"], r["dur"]) for r in records if r["name"] == "awake" and r["pid"] == 1] == [
        (1, 0, 0, 0.02),
        (1, 0, 0.12, 0.02),
    ]
    assert [(r["ph"], r["pid"], r["tid"], r["ts"]) for r in records if r["name"] == "ring"] == [("s", 0, 0, 0.12), ("f", 1, 0, 0.12)]
    assert [(r["pid"], r["ts"]) for r in records if r["name"] == "message to a"] == [(0, 0.118)]
    assert [(r["pid"], r["tid"], r["ts"]) for r in records if r["name"] == "mark 7"] == [(1, 0, 0.13)]


def test_the_picture_of_a_run_without_messages_is_drawn_too(system: Any, tmp_path: Path) -> None:
    for made in (traffic.Traffic(), traffic.traffic(system, FOUND)):
        traffic.draw(system, made, tmp_path / "x.png")
        assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
