# SPDX-License-Identifier: MIT
"""All servers of an I/O cluster (docs/servers.md) beside who means them harm: a rogue cluster, and clients that die in the middle of what they ask."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, SPAWNS

pytestmark = pytest.mark.beside

CLUSTERS = 2  # with clients
HOLDERS, PORT = 4, 13  # of copies of pages, and where they and the pages' owner talk
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


def with_pages(node: int, rounds: int, uses: int) -> dict[str, Any]:
    """A page server with an owner in the first cluster and a holder in the others, and a memory server there with clients in two of them."""
    holders = range(1, HOLDERS + 1)
    words = ["owner", str(PORT), str(rounds), *map(str, holders)] if node == 0 else ["holder", str(PORT), "0"]
    kind = {"kind": "process", "memory": "256K", "threads": 1}
    app = kind | {"program": "build:dyingcaps.elf", "arguments": ["dyingcaps", *words], "cores": [2], "restart": ["fault"]}
    caps = kind | {"program": "build:server-caps.elf", "arguments": ["caps", "1"], "cores": [1], "threads": 2}
    domains = {"caps": caps, "app": app}
    if node == 0:
        domains["memory"] = server("memory", 3, "40")
    elif node <= CLUSTERS:
        domains["uses"] = kind | {"program": "build:nanvix-lost.elf", "arguments": ["lost", "rounds", str(uses)], "cores": [3]}
    return {"harts": 4, "memory": "2M", "channels": [{"name": "c", "between": ["caps", "app"], "size": "4K"}], "domains": domains}


@pytest.mark.parametrize(("board", "reads"), [("manycore", False), ("manycore", True), ("manycore32", True)])
def test_pages_are_right_beside_a_cluster_that_writes_every_word_it_can_reach(running, full: bool, board: str, reads: bool) -> None:
    """Those of a memory server, and copies of others' pages by page servers. If it also sends what it has read in all outboxes, copies may end before their
    time, and no more: none is wrong, none is seen after its revocation, and no page is changed."""
    rounds, uses = (400, 5000) if full else (12, 60)
    made = {f"c{i}": with_pages(i, rounds, uses) for i in range(HOLDERS + 1)}
    made["c0"] |= {"kind": "io"}
    made[f"c{HOLDERS + 1}"] = {"kernel": "build:rogue.elf", "cmdline": f"seed=7 pages={2 if reads else 1}"}
    kernel = {"manycore": "shape:cluster-pages", "manycore32": "shape:cluster32-pages"}[board]
    with running({"system": "rogue-pages", "board": board, "kernel": kernel, "clusters": made}) as started:
        long = 560 if full else 120
        for i in range(1, CLUSTERS + 1):
            said = started[f"c{i}"].expect(r"lost: (\d+) reads, (\d+) lost, (\d+) us at most|WRONG: .*", long)
            assert said[1] and int(said[1]) > uses / 4 and int(said[2]) == 0 and int(said[3]) < 1_000_000, said[0]
        said = started["c0"].expect(
            r"dyingcaps: (\d+) rounds, (\d+) pages, (\d+) revoked, (\d+) silent, (\d+) lost, (\d+) seen, (\d+) ms|.*WRONG.*", long
        )
        assert said[1], said[0]
        assert [*map(int, said.groups())][:6] == [rounds, rounds // 2, rounds, 0, 0, 0] and int(said[7]) < 1000, said[0]
        taken = [int(n) for n in re.findall(r"cluster \d: taken (\d+)", started["c0"].text)]
        [*_, (mails, replayed)] = re.findall(r"^\d+000 steps, (\d+) mails, (\d+) replayed", started[f"c{HOLDERS + 1}"].text, re.MULTILINE)
        assert int(mails) > 100 and (int(replayed) > 100) == reads
        assert len(taken) == HOLDERS and (0 < sum(taken) < rounds * HOLDERS if reads else min(taken) == rounds), taken
        text = {name: started[name].text for name in started.names}
    assert not re.search(r"PANIC|WRONG" + ("" if reads else "|fault:"), "".join(text.values()))


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
