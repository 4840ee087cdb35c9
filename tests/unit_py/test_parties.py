# SPDX-License-Identifier: MIT
"""Who has sent a message and for whom it is; which request an answer ends; rows of the timeline for both."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from amalgam.measure import lanes, parties
from amalgam.measure.parties import Message, Parties, Party, Request

ASKS, OTHER, NAME, FILE = Party(1, 0), Party(1, 1), Party(0, 1), Party(0, 2)
NOBODY = Party(0, -1)


def domain(name: str, program: str, core: int, spawner: str = "") -> Any:
    return SimpleNamespace(name=name, kernel=SimpleNamespace(text=program), cores=[(core, None)], spawner=spawner, threads=1)


@pytest.fixture
def who() -> Parties:
    io = [domain("leads", "app", 1), domain("names", "build:server-name.elf", 2), domain("files", "build:server-file.elf", 3)]
    io.append(domain("files.1", "app", 4, "files"))
    compute = [domain("asks", "app", 1), domain("other", "build:server-mine.elf", 2)]
    clusters = [
        SimpleNamespace(name=name, number=i, own_harts=[10 * i + k for k in range(5)], own=SimpleNamespace(domains=own))
        for i, (name, own) in enumerate([("io", io), ("compute", compute)])
    ]
    return Parties(SimpleNamespace(clusters=clusters))  # type: ignore[arg-type]


def test_servers_are_known_by_their_programs_and_ports_by_the_headers_of_these(who: Parties) -> None:
    assert {who.label(party): kind for party, kind in who.servers.items()} == {"io: names": "name", "io: files": "file"}
    assert who.at_port == {(0, 2): NAME, (0, 5): FILE}
    assert [parties.port_of(kind) for kind in parties.PORTS] == [2, 3, 4, 5, 11]


def test_a_sender_is_what_the_message_says_and_nobody_if_there_is_no_such_process(who: Parties) -> None:
    assert who.sender(0, 1 << 25 | 6) == NAME
    assert who.sender(0, 6) == Party(0, 0)
    assert [who.sender(0, of) for of in (0, 9 << 25 | 2, 0xFFFFFFFE)] == [NOBODY] * 3


def test_who_receives_is_the_server_of_the_port_or_who_asked_or_the_only_program(who: Parties) -> None:
    question, answer = Message(ASKS, 0, 0, 2, 10), Message(NAME, 1, 1, 7, 20)
    assert who.receiver(question) == NAME
    assert who.receiver(answer) == Party(1, -1)  # two programs, and none has asked
    who.learn([question, answer])
    assert who.receiver(answer) == ASKS
    assert who.receiver(Message(ASKS, 0, 0, 9, 10)) == Party(0, 0)  # all others of io are servers and slots


def test_of_two_that_ask_at_once_nothing_is_learned(who: Parties) -> None:
    both = [Message(ASKS, 0, 0, 2, 10), Message(OTHER, 0, 0, 2, 11), Message(NAME, 1, 1, 7, 20)]
    who.learn(both)
    assert who.receiver(both[2]) == Party(1, -1)


SAID = [
    Message(ASKS, 0, 0, 5, 10),  # in two messages
    Message(ASKS, 0, 0, 5, 12),
    Message(ASKS, 0, 0, 2, 14),
    Message(FILE, 1, 1, 7, 30),
    Message(NAME, 1, 1, 7, 40),
    Message(ASKS, 0, 0, 2, 50),  # has no answer
    Message(FILE, 1, 1, 7, 60),  # answers nothing
]


def test_an_answer_ends_the_request_of_its_client_whose_messages_are_counted(who: Parties) -> None:
    who.learn(SAID)
    found = parties.requests(who, SAID)
    assert found == [Request(ASKS, FILE, 10, 2, 30), Request(ASKS, NAME, 14, 1, 40), Request(ASKS, NAME, 50, 1, None)]
    made = parties.pairs(found)
    assert list(made) == [(NAME, ASKS), (FILE, ASKS)]
    assert (made[NAME, ASKS].messages, made[NAME, ASKS].took, made[NAME, ASKS].median) == (2, [26], 26)


def test_the_matrix_has_all_servers_and_whoever_has_to_do_with_anybody(who: Parties) -> None:
    who.learn(SAID)
    assert parties.matrix(who, SAID) == ([NAME, FILE, ASKS], [[0, 0, 1], [0, 0, 2], [2, 2, 0]])
    assert parties.matrix(who, []) == ([NAME, FILE], [[0, 0], [0, 0]])


def test_a_servers_bar_begins_when_its_core_wakes_and_behind_the_one_before(who: Parties) -> None:
    found = [Request(ASKS, NAME, 1000, 1, 5000), Request(OTHER, NAME, 2000, 3, 9000), Request(ASKS, NAME, 6000, 1, None)]
    awake = {2: [(0, 500), (3000, 12000)]}  # the hart of io's core 2
    records = lanes.bars(who, found, awake)
    bars = [(r["pid"], r["tid"], r["name"], r["ts"], r["dur"]) for r in records if r["ph"] == "X"]
    server, asks, other = 1000 + 16 * 2, 1000 + 16, 1000 + 32
    assert bars == [
        (1, asks, "asks io: names", 1, 4),
        (0, server, "for compute: asks", 3, 2),
        (1, other, "asks io: names", 2, 7),
        (0, server, "for compute: other", 5, 4),
    ]
    arrows = [(r["ph"], r["id"], r["pid"], r["tid"], r["ts"]) for r in records if r["ph"] in "sf"]
    assert arrows == [("s", 0, 1, asks, 1), ("f", 0, 0, server, 3), ("s", 1, 1, other, 2), ("f", 1, 0, server, 5)]
    names = {(r["pid"], r["tid"]): r["args"]["name"] for r in records if r["name"] == "thread_name"}
    assert names == {(1, asks): "asks, asks", (0, server): "names, server", (1, other): "other, asks"}


def test_a_server_of_several_cores_is_awake_when_one_of_them_is(who: Parties) -> None:
    who.domains[NAME].cores.append((4, None))
    spans = lanes.cores(who, NAME, {2: [(10, 20), (40, 50)], 4: [(0, 30), (50, 60), (80, 90)]})
    assert spans == [(0, 30), (40, 60), (80, 90)]
    assert [lanes.awake_from(spans, moment) for moment in (5, 30, 31, 55, 61, 91)] == [5, 30, 40, 55, 80, 91]


def test_requests_that_overlap_lie_in_lanes_beside_each_other(who: Parties) -> None:
    found = [Request(ASKS, NAME, 1000, 1, 5000), Request(ASKS, FILE, 2000, 1, 4000), Request(ASKS, FILE, 5000, 1, 6000)]
    records = [r for r in lanes.bars(who, found, {}) if r["ph"] == "X" and r["pid"] == 1]
    assert sorted((r["ts"], r["tid"]) for r in records) == [(1, 1017), (2, 1016), (5, 1016)]
