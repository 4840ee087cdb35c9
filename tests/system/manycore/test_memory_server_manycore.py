# SPDX-License-Identifier: MIT
"""A memory server in the I/O cluster, whose pages hold more than the cluster of the program that uses them (user/servers/memory)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

PAGES = 600  # 2.4 MiB


def system(board: str, pages: int, words: list[str], clients: int = 1, *more: str) -> dict[str, Any]:
    """A server of so many pages with `more` arguments in the first cluster, and a program, whose name and words are `words`, in each of the
    others."""
    server = {
        "kind": "process",
        "program": "build:server-memory.elf",
        "arguments": ["memory", str(pages), *more],
        "memory": "6M",
        "threads": 1,
    }
    program = {"kind": "process", "program": f"build:nanvix-{words[0]}.elf", "arguments": words, "memory": "512K", "threads": 1}
    made: dict[str, Any] = {"io": {"kind": "io", "harts": 4, "memory": "8M", "domains": {"memory": server | {"restart": ["fault"]}}}}
    made |= {f"c{i}": {"harts": 4, "memory": "2M", "domains": {"program": program}} for i in range(1, clients + 1)}
    return {"system": "memory", "board": board, "kernel": KERNELS[board], "clusters": made}


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_uses_more_memory_than_its_cluster_has(running, board: str) -> None:
    with running(system(board, 2 * PAGES + 2, ["rmem", str(PAGES)])) as started:
        said = started["c1"].expect(r"rmem: right, (\d+) pages, (\d+) misses", 120)
        assert int(said[1]) == PAGES and int(said[2]) >= 2 * PAGES - 32


def test_a_memory_server_that_dies_again_and_again_loses_pages_and_shows_none_for_another(running, request: pytest.FixtureRequest) -> None:
    """It dies in the middle of whatever it is asked, by two clusters, one of whose pages are six; each word that is read is the one written."""
    # In a short life most uses find that a page is lost.
    rounds, messages, deaths, part = (3000, 331, 200, 12) if request.config.getoption("full") else (150, 997, 3, 4)
    with running(system("manycore", 30, ["lost", "rounds", str(rounds)], 2, f"dies={messages}")) as started:
        for name in ("c1", "c2"):
            said = started[name].expect(r"lost: (\d+) reads, (\d+) lost|WRONG: .*", 600 if deaths > 3 else 120)
            assert said[1], said[0]
            died = len(re.findall(r"domain memory: fault", started["io"].text))
            assert int(said[1]) > rounds / part and 0 < int(said[2]) <= 7 * (died + 1)
        assert died >= deaths


def test_pages_are_used_beside_a_program_that_dies_in_its_use_of_them(running, request: pytest.FixtureRequest) -> None:
    """In the middle of whatever it asks. What its lives had is given to later ones when a cluster's eight are there; the other program loses nothing."""
    rounds, lives = (10000, 200) if request.config.getoption("full") else (500, 15)
    made = system("manycore", 40, ["lost"])
    program = made["clusters"]["c1"]["domains"].pop("program") | {"memory": "256K"}
    kept = program | {"arguments": ["lost", "uses", str(rounds)], "cores": [1]}
    dies = program | {"arguments": ["lost", "faults"], "threads": 2, "cores": [2, 3], "restart": ["fault"]}
    made["clusters"]["c1"]["domains"] = {"kept": kept, "dies": dies}
    with running(made) as started:
        said = started["c1"].expect(r"lost: (\d+) reads, (\d+) lost, (\d+) us at most", 560 if lives > 15 else 120)
        reads, lost, longest = map(int, said.groups())
        text = started["c1"].text
        assert text.count("domain dies: fault") >= 6 and reads > rounds / 3 and lost == 0 and longest < 1_000_000
        for _ in range(lives - text.count("domain dies: fault")):
            started["c1"].expect(r"lost: has a page", 120)
            started["c1"].expect(r"domain dies: fault", 60)
        assert "WRONG" not in started["c1"].text
