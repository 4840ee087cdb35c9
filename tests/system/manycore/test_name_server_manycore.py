# SPDX-License-Identifier: MIT
"""Name servers on a board of four clusters: one, and three of which one dies again and again (user/servers/name, docs/servers.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from documents import compiled
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

CLUSTERS = 4


def system(board: str, servers: dict[int, list[str]], arguments: list[str], **more: Any) -> dict[str, Any]:
    """`servers`: the clusters that have a name server, and its arguments."""
    listed = ",".join(map(str, servers))
    clusters: dict[str, Any] = {}
    for i in range(CLUSTERS):
        program: dict[str, Any] = {"kind": "process", "program": "build:nanvix-names.elf", "memory": "256K", "threads": 1, "cores": [1]}
        program |= {"arguments": ["names", *arguments]} | ({"environment": {"NAMES": listed}} if servers else {})
        domains = {"program": program}
        if i in servers:
            server = {"kind": "process", "program": "build:server-name.elf", "memory": "192K", "threads": 1, "cores": [2]}
            domains["name"] = server | {"arguments": ["name", *servers[i]], "restart": ["fault"]}
        clusters[f"c{i}"] = ({"kind": "io"} if i == 0 else {}) | {"harts": 4, "memory": "2M", "domains": domains}
    return {"system": "names", "board": board, "kernel": KERNELS[board], "clusters": clusters, **more}


@pytest.mark.parametrize("board", BOARDS)
def test_programs_find_each_other_by_name(running, board: str) -> None:
    with running(system(board, {0: []}, ["0", str(CLUSTERS)])) as started:
        for name in started.names:
            said = started[name].expect(r"^program: names: right|^names: right|WRONG: .*", 60)[0]
            assert said.endswith("right"), said


def test_with_three_servers_one_that_dies_again_and_again_is_not_noticed(running, request: pytest.FixtureRequest) -> None:
    """It learns its names again each time, and then counts."""
    ms, requests, deaths = (900000, 100, 200) if request.config.getoption("full") else (12000, 100, 2)
    with running(system("manycore", {0: [], 1: [f"dies={requests}"], 2: []}, [str(ms), str(CLUSTERS)])) as started:
        for name in started.names:
            said = started[name].expect(r"names: asked (\d+) times, (\d+) of them again", 560 if deaths > 2 else 120)
            assert int(said[1]) > 100 and said[2] == "0"
        assert len(re.findall(r"learns names", started[started.names[1]].text)) >= deaths


@pytest.mark.parametrize("dead", [1, 2])
def test_with_one_of_three_servers_dead_for_good_lookups_go_on(running, dead: int) -> None:
    """One lookup waits 10 ms for it, and one more after its rest; all others ask who lives. By the board's clock, which counts instructions."""
    process = {"kind": "process", "memory": "256K", "threads": 1}
    asks = {"program": "build:nanvix-failover.elf", "arguments": ["failover", "2", "20"], "environment": {"NAMES": "1,2,3"}}
    clusters: dict[str, Any] = {"io": {"kind": "io", "harts": 4, "domains": {"asks": process | asks}}}
    for i in range(1, CLUSTERS):
        arguments = ["name", *(["dies=12"] if i == dead else [])]
        clusters[f"c{i}"] = {"harts": 4, "domains": {"name": process | {"program": "build:server-name.elf", "arguments": arguments}}}
    with running(
        {"system": "failover", "board": "manycore", "kernel": KERNELS["manycore"], "patience": "10ms", "clusters": clusters}
    ) as started:
        said = started["io"].expect(r"failover: (\d+) ns at least, (\d+) ns at most, (\d+) of 40 late", 60)
    least, most, late = map(int, said.groups())
    assert late == 2
    assert least < 50_000 and 10_000_000 <= most <= 15_050_000


def test_with_one_server_that_dies_questions_are_asked_again(running) -> None:
    with running(system("manycore", {0: ["dies=100"]}, ["12000", str(CLUSTERS)])) as started:
        for name in started.names:
            said = started[name].expect(r"names: asked (\d+) times, (\d+) of them again", 120)
            assert 0 < int(said[2]) < int(said[1])
        assert "learns names" in started[started.names[0]].text


def test_without_servers_each_function_says_so(running) -> None:
    with running(system("manycore", {}, ["alone"])) as started:
        for name in started.names:
            started[name].expect(r"names: nobody answers", 60)


def test_the_first_service_of_the_document_runs_as_written(running, tmp_path: Path) -> None:
    system, runs = compiled("servers.md", "Your first service over 4 clusters", tmp_path)
    assert runs == ["./amalgam run mine.yaml"]
    with running(yaml.safe_load(system)) as started:
        for me, name in enumerate(started.names):
            if me:
                started[name].expect(rf"cluster {me}: {10 + me} squared is {(10 + me) ** 2}", 60)
