# SPDX-License-Identifier: MIT
"""All servers of an I/O cluster (docs/servers.md) beside who means them harm: a rogue cluster, and clients that die in the middle of what they ask."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, SPAWNS

pytestmark = pytest.mark.beside

CLUSTERS = 2  # with clients
STAGES = ("link", "lookup", "beat", "unlink", "start", "output", "wait", "kill")


def client(*words: str, **more: Any) -> dict[str, Any]:
    made = {"kind": "process", "program": "build:nanvix-served.elf", "arguments": ["served", *words], "memory": "1M", "threads": 1}
    return made | {"files": "build:started-spawned.elf"} | more


def server(name: str, core: int, *words: str, **more: Any) -> dict[str, Any]:
    made = {"kind": "process", "program": f"build:server-{name}.elf", "arguments": [name, *words], "memory": "512K", "threads": 1}
    return made | {"cores": [core]} | more


def system(board: str, *others: dict[str, Any]) -> dict[str, Any]:
    """The servers in the first cluster; no cluster has more than two of the slots."""
    domains = {
        "name": server("name", 1),
        "memory": server("memory", 2, "40"),
        "file": server("file", 3, "quota=32", memory="1M"),
        "process": server("process", 4, "share=2", spawn={"slots": 4, "memory": "192K"}),
    }
    io = {"kind": "io", "harts": 9, "memory": "8M", "domains": domains}
    clusters = {f"c{i}": cluster for i, cluster in enumerate((io, *others))}
    return {"system": "served", "board": board, "kernel": SPAWNS[board], "clusters": clusters}


@pytest.mark.parametrize("board", BOARDS)
def test_servers_serve_their_clients_exactly_beside_a_cluster_that_writes_every_word_it_can_reach(running, full: bool, board: str) -> None:
    """Some of its words are requests with each server's number, and answers to who asks. Nothing is asked again."""
    rounds = 400 if full else 20
    clients = [{"harts": 3, "memory": "2M", "domains": {"asks": client("rounds", str(rounds), str(CLUSTERS))}}] * CLUSTERS
    rogue = {"kernel": "build:rogue.elf", "cmdline": "seed=7"}
    with running(system(board, *clients, rogue)) as started:
        for i in range(1, CLUSTERS + 1):
            said = started[f"c{i}"].expect(r"served: (\d+) rounds right, (\d+) refused|WRONG: .*", 600 if rounds > 20 else 120)
            assert said[1], said[0]
            assert int(said[1]) == rounds and int(said[2]) > 0  # its requests have come
        said = started[f"c{CLUSTERS + 1}"].expect(r"^\d+000 steps, (\d+) mails", 60)
        assert int(said[1]) > 100
        text = {name: started[name].text for name in started.names}
    assert not re.search(r"PANIC|fault:|WRONG", "".join(text.values()))
    assert "cluster 3: a question was refused" in text["c0"]


def test_clients_of_the_name_and_of_the_process_server_that_die_in_the_middle_leave_nothing_and_harm_nobody(running, full: bool) -> None:
    lives = 200 if full else 2 * len(STAGES)
    dies = client("dies", str(lives), threads=2, restart=["fault"])
    made = system(
        "manycore",
        {"harts": 3, "memory": "2M", "domains": {"dies": dies}},
        {"harts": 3, "memory": "2M", "domains": {"kept": client("kept")}},
    )
    with running(made) as started:
        for _ in range(lives):
            started["c1"].expect(r"domain dies: fault", 120)
        said = started["c1"].expect(rf"served: nothing of {lives} lives is left|WRONG: .*", 120)[0]
        assert "nothing" in said, said
        said = started["c2"].expect(r"served: (\d+) rounds right beside|WRONG: .*", 120)
        assert said[1] and int(said[1]) > lives, said[0]
        ends = re.findall(r"served: dies in (\w+)", started["c1"].text)
        assert [ends.count(stage) for stage in STAGES] == [lives // len(STAGES)] * len(STAGES)
