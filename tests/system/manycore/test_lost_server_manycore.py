# SPDX-License-Identifier: MIT
"""Two clusters are lost at once (docs/servers.md): that of a memory server, and that of one of three name servers or of a client of both."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import KERNELS

pytestmark = pytest.mark.beside

CLIENTS, NAMES, MEMORY = 2, (2, 3, 4), 5
PAGES = 6  # of each client
FOR_MS, AT_MS = 1000, 500
BOUND_US = 1_000_000


def system(*lost: int) -> dict[str, Any]:
    """These clusters are killed at once."""
    process = {"kind": "process", "threads": 1}
    client = process | {"program": "build:nanvix-lost.elf", "arguments": ["lost", "keeps", str(FOR_MS), str(CLIENTS)], "memory": "256K"}
    client |= {"environment": {"NAMES": ",".join(map(str, NAMES)), "MEMORY": str(MEMORY)}}
    name = process | {"program": "build:server-name.elf", "arguments": ["name"], "memory": "192K"}
    memory = process | {"program": "build:server-memory.elf", "arguments": ["memory", "60"], "memory": "512K"}
    domains = [{"asks": client}] * CLIENTS + [{"name": name}] * len(NAMES) + [{"memory": memory}]
    clusters = {f"c{i}": {"harts": 4, "domains": domain} for i, domain in enumerate(domains)}
    clusters["c0"] |= {"kind": "io"}
    kills = [{"cluster": f"c{i}", "at": f"{AT_MS}ms"} for i in lost]
    return {"system": "lost", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": clusters, "kills": kills}


def test_two_clusters_with_servers_that_are_lost_at_once_cost_each_client_its_pages_once(running) -> None:
    """Names go on by the other two servers, no call takes a second, and what is read is what was written, before and afterwards."""
    with running(system(NAMES[1], MEMORY)) as started:
        for i in range(CLIENTS):
            said = started[f"c{i}"].expect(r"lost: (\d+) reads, (\d+) lost, (\d+) us at most", 120)
            reads, lost, longest = map(int, said.groups())
            assert reads > 100 and lost == PAGES and longest < BOUND_US
            said = started[f"c{i}"].expect(r"lost: (\d+) questions, (\d+) again, (\d+) us at most", 60)
            asked, again, longest = map(int, said.groups())
            assert asked > reads and again == 0 and longest < BOUND_US
        text = {name: started[name].text for name in started.names}
    assert all(len(re.findall(r"kernel \d of 6", text[f"c{i}"])) == (2 if i in (NAMES[1], MEMORY) else 1) for i in range(6))


def test_a_server_and_a_client_of_it_that_are_lost_at_once_cost_the_other_client_its_pages_once(running) -> None:
    """Both begin anew: the client's next life has pages of the server's next life, and loses none of them."""
    dies, stays = 1, 0
    with running(system(dies, MEMORY)) as started:
        for i, loses in ((stays, PAGES), (dies, 0)):
            said = started[f"c{i}"].expect(r"lost: (\d+) reads, (\d+) lost, (\d+) us at most|WRONG: .*", 120)
            assert said[1], said[0]
            reads, lost, longest = map(int, said.groups())
            assert reads > 100 and lost == loses and longest < BOUND_US
            said = started[f"c{i}"].expect(r"lost: (\d+) questions, (\d+) again, (\d+) us at most|WRONG: .*", 60)
            assert said[1] and int(said[1]) > reads and int(said[2]) == 0 and int(said[3]) < BOUND_US, said[0]
        text = {name: started[name].text for name in started.names}
    assert all(len(re.findall(r"kernel \d of 6", text[f"c{i}"])) == (2 if i in (dies, MEMORY) else 1) for i in range(6))
    assert text[f"c{dies}"].count("lost:") == 2  # the first life was in the middle of it
