# SPDX-License-Identifier: MIT
"""A counted run of clusters as a timeline and a matrix: what of an outbox is a message, when harts are awake, what arrows join."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from amalgam.measure import traffic, trafficpicture
from amalgam.measure.clocks import Clocks, Event, Mark, Store
from amalgam.measure.parties import Parties

NOC, OUTBOX = 0x80400000, 0x10000
MARK = Mark(7, 1, 30, 130, 200)


@pytest.fixture
def system() -> Any:
    """Two clusters: harts 0 and 2, hart 1."""
    clusters = [
        SimpleNamespace(name=name, number=i, harts=len(harts), own_harts=harts, own=None)
        for i, (name, harts) in enumerate([("io", [0, 2]), ("a", [1])])
    ]
    return SimpleNamespace(name="two", noc=NOC, outbox=OUTBOX, clusters=clusters)


def slot(sender: int, to: int, number: int) -> int:
    return NOC + sender * OUTBOX + 2048 * to + 64 + 192 * number


def half(sender: int, to: int) -> int:
    return slot(sender, to, 0) - 64


def told(system: Any, *addresses: int) -> list[tuple[str, int, int]]:
    found = Clocks(stores=[Store(0, at, 5) for at in addresses])
    return [(one.what, one.sender, one.to) for one in traffic.sent(system, found)]


def test_the_begin_of_a_message_is_told_from_its_data_and_from_portals_data(system: Any) -> None:
    assert told(system, slot(1, 0, 0), slot(1, 0, 7), slot(0, 1, 3)) == [("message", 1, 0), ("message", 1, 0), ("message", 0, 1)]
    assert told(system, slot(1, 0, 8), slot(1, 0, 8) + 64) == [("message", 1, 0), ("message", 1, 0)]  # little slots
    assert not told(system, NOC, slot(0, 1, 0) + 64, slot(0, 1, 7) + 128, slot(0, 0, 8))  # the last is of no lane
    assert not told(system, slot(1, 0, 8) + 128, half(1, 0) + 2048 - 64)  # that a page is there
    assert told(system, NOC + 4096, NOC + 2 * OUTBOX - 64, NOC + 4096 + 28) == [("data", 0, 2), ("data", 1, 31)]


def test_a_signal_is_told_from_the_clearing_of_its_word(system: Any) -> None:
    ours = half(0, 1)
    clears = [ours + at for at in (4, 28, 32, 36, 40)]
    assert not told(system, *clears, ours + 8, ours + 4)
    assert told(system, *clears, ours + 8, ours + 28, ours + 40, half(1, 0) + 28) == [("signal", 0, 1), ("signal", 0, 1), ("signal", 1, 0)]


def test_a_message_has_the_words_that_its_slot_has_when_it_is_put(system: Any) -> None:
    """In whatever order they were stored; those of another slot, of the message before, and of one that nobody puts are its own."""
    at, ours = slot(0, 1, 2), half(0, 1)
    first = [Store(0, at + 4, 1, 0x10020300), Store(0, at, 2), Store(0, at + 8, 3, 0x04000002), Store(0, ours + 8, 4)]
    second = [Store(0, at, 5), Store(0, at + 4, 6, 0x10050600), Store(0, ours + 8, 7), Store(0, slot(0, 1, 3), 8)]
    found = [(one.store.path, one.head, one.of) for one in traffic.sent(system, Clocks(stores=first + second))]
    assert found == [(2, 0x10020300, 0x04000002), (5, 0x10050600, 0x04000002), (8, 0, 0)]
    little = [Store(0, slot(0, 1, 8), 1), Store(0, slot(0, 1, 8) + 4, 1, 0x01000002)]
    parties = Parties(system)
    sent = list(traffic.sent(system, Clocks(stores=first + little)))
    assert [(m.to, m.port, m.from_port, m.path) for m in traffic.messages(parties, sent)] == [(1, 3, 2, 2)]


def test_messages_and_signals_are_counted_by_sender_and_receiver_data_by_sender(system: Any) -> None:
    stores = [Store(0, at, 5) for at in (slot(0, 1, 0), slot(0, 1, 1), slot(0, 1, 1) + 64, half(0, 1) + 32, NOC + 8192, NOC + 8256)]
    made = traffic.traffic(list(traffic.sent(system, Clocks(stores=[*stores, Store(1, slot(1, 0, 0), 9)]))))
    assert traffic.matrix(made.messages, 2) == [[0, 2], [1, 0]]
    assert traffic.matrix(made.signals, 2) == [[0, 1], [0, 0]]
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
    records = traffic.timeline(system, FOUND, Parties(system), list(traffic.sent(system, FOUND)), [])["traceEvents"]
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
    parties = Parties(system)
    for sent in ([], list(traffic.sent(system, FOUND))):
        trafficpicture.draw(system, traffic.traffic(sent), parties, traffic.messages(parties, sent), tmp_path / "x.png")
        assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
