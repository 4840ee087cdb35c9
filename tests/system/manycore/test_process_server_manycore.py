# SPDX-License-Identifier: MIT
"""Process servers in clusters, and programs that ask them (user/servers/process, docs/servers.md)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, SPAWNS

pytestmark = pytest.mark.beside


def system(board: str, clusters: int, arguments: list[str], *words: str) -> dict[str, Any]:
    """The last cluster asks the servers of all; `words`: the first one's arguments."""
    listed = ",".join(map(str, range(clusters)))
    server = {"kind": "process", "program": "build:server-process.elf", "memory": "512K", "cores": [1], "threads": 1}
    server |= {"restart": ["fault"], "spawn": {"slots": 2, "memory": "192K"}}
    asks = {"kind": "process", "program": "build:nanvix-processes.elf", "arguments": ["processes", *arguments], "threads": 1}
    asks |= {"memory": "1M", "cores": [2], "files": "build:started-spawned.elf", "environment": {"PROCESSES": listed}}
    made: dict[str, Any] = {}
    for i in range(clusters):
        domains = {"process": server | {"arguments": ["process", *(words if i == 0 else ())]}}
        domains |= {"asks": asks} if i == clusters - 1 else {}
        made[f"c{i}"] = ({"kind": "io"} if i == 0 else {}) | {"harts": 5, "memory": "4M", "domains": domains}
    return {"system": "processes", "board": board, "kernel": SPAWNS[board], "clusters": made}


@pytest.mark.parametrize("board", BOARDS)
def test_a_process_starts_programs_in_all_clusters(running, board: str) -> None:
    """Its own cluster's, too: ends, a fault, kills by number and by name, a list, what they write, a flood of it, all that may be wrong."""
    with running(system(board, 2, ["check"])) as started:
        started["c1"].expect(r"processes: right", 60)
        for name in started.names:
            assert re.search(r"spawned: one\s+spawned: SAID is hello", started[name].text)


def test_a_cluster_that_may_not_start_programs_is_refused(running) -> None:
    """The first server's argument lets its own cluster alone start programs."""
    with running(system("manycore", 2, ["refused"], "from=0")) as started:
        started["c1"].expect(r"processes: right", 60)


@pytest.mark.parametrize("board", BOARDS)
def test_a_cluster_starts_programs_by_the_handle_that_another_one_gives_it_until_that_is_void(running, board: str) -> None:
    """The first server's argument lets its own cluster alone start programs, where a program gives the second cluster's its handle."""
    made = system(board, 2, ["given"], "from=0")
    asks = made["clusters"]["c1"]["domains"]["asks"]
    made["clusters"]["c0"]["domains"]["gives"] = asks | {"arguments": ["processes", "gives"]}
    with running(made) as started:
        for name in started.names:
            started[name].expect(r"processes: right", 60)


def test_a_server_that_dies_again_and_again_is_an_error_once_for_each_life(running, request: pytest.FixtureRequest) -> None:
    """It dies in the middle of whatever it is asked; the other server's programs are not touched."""
    rounds, requests, deaths = (1000, 311, 200) if request.config.getoption("full") else (60, 997, 3)
    with running(system("manycore", 2, ["rounds", str(rounds)], f"dies={requests}")) as started:
        said = started["c1"].expect(r"processes: (\d+) done, (\d+) lost", 600 if deaths > 3 else 120)
        died = len(re.findall(r"domain process: fault", started["c0"].text))
        assert died > deaths and 0 < int(said[2]) <= died and int(said[1]) + int(said[2]) == rounds
