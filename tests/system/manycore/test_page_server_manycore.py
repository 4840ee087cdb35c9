# SPDX-License-Identifier: MIT
"""Page servers that die again and again while pages are granted, copied and revoked (user/servers/caps, docs/servers.md)."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.beside

ENDED = 4  # of enum caps_op: what is told by others
OWNER, LATER = 12, 13  # ports of the two owners and their holders
HOLDERS = {0: (1, 2, 3, 4), 4: (2, 3)}  # by the owner's cluster


def program(*words: object, core: int) -> dict[str, Any]:
    made = {"kind": "process", "program": "build:dyingcaps.elf", "arguments": ["dyingcaps", *map(str, words)], "memory": "128K"}
    return made | {"cores": [core], "threads": 1, "restart": ["fault"]}


def cluster(node: int, rounds: int, *dies: str) -> dict[str, Any]:
    """A page server, and its clients: an owner, and a holder for each other one."""
    clients: dict[str, dict[str, Any]] = {}
    for owner, port in ((0, OWNER), (4, LATER)):
        if node == owner:
            clients[f"owner{owner}"] = program("owner", port, rounds, *HOLDERS[owner], core=2 + len(clients))
        elif node in HOLDERS[owner]:
            clients[f"holder{owner}"] = program("holder", port, owner, core=2 + len(clients))
    caps = {"kind": "process", "program": "build:server-caps.elf", "arguments": ["caps", str(len(clients)), *dies], "memory": "256K"}
    caps |= {"cores": [1], "threads": 1 + len(clients), "restart": ["fault"]}
    channels = [{"name": name, "between": ["caps", name], "size": "4K"} for name in clients]
    return {"harts": 4, "channels": channels, "domains": {"caps": caps, **clients}}


def said(text: str, pattern: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, found)) for found in re.findall(pattern, text)]


def test_page_servers_that_die_again_and_again_show_no_page_that_was_revoked(running, request: pytest.FixtureRequest) -> None:
    """That of cluster 1 holds a copy and is to tell cluster 2 of its end, in which it dies, too; that of cluster 4 has a page of its own. Whoever has to do with
    neither has its copy in each round; nobody sees a page whose revocation has answered 0, which all do that a server lives to answer, within a second."""
    # Behind a round without some copy the owner waits until a dead server has begun anew: the figures are not the programs' pace.
    rounds, deaths, whole = (400, 200, 100) if request.config.getoption("full") else (32, 9, 6)
    made = {f"c{i}": cluster(i, rounds, *dies) for i, dies in enumerate(([], ["dies=48"], [], [], ["dies=150"]))}
    made["c0"] |= {"kind": "io"}
    with running({"system": "dying-caps", "board": "manycore", "kernel": "shape:cluster-pages", "clusters": made}) as started:
        for node in HOLDERS:
            started[f"c{node}"].expect(rf"dyingcaps: {rounds} rounds.*\n", 560 if deaths > 9 else 120)
        text = {name: started[name].text for name in started.names}
    assert "WRONG" not in "".join(text.values()) and "PANIC" not in "".join(text.values())
    died = {name: len(re.findall(r"domain (?:caps|holder0|owner0): fault", text[name])) for name in text}
    assert died["c0"] == died["c2"] == died["c3"] == 0 and min(died["c1"], died["c4"]) >= deaths, died
    assert (ENDED, 1) in said(text["c1"], r"caps: ends at (\d+) with (\d+) children")  # in the middle of the tree
    has_taken = r"cluster (\d): taken (\d+), begun \d+, (\d+) ms"
    taken = {node: (n, ms) for node, n, ms in said(text["c0"], has_taken)}
    late = {node: (n, ms) for node, n, ms in said(text["c4"], has_taken)}
    assert taken[2][0] == taken[3][0] == rounds and all(whole < taken[i][0] < rounds for i in (1, 4)), taken
    assert all(whole < n < rounds for n, _ in late.values()), late
    assert max(ms for _, ms in [*taken.values(), *late.values()]) < 1000, (taken, late)
    result = r"dyingcaps: (\d+) rounds, (\d+) pages, (\d+) revoked, (\d+) silent, (\d+) lost, (\d+) seen, (\d+) ms"
    [(*counted, ms)] = said(text["c0"], result)
    assert counted == [rounds, rounds / 2, rounds, 0, 0, 0] and ms < 1000
    [(_, pages, revoked, silent, lost, seen, ms)] = said(text["c4"], result)
    assert pages > rounds / 4 and revoked > rounds / 4 and not silent and lost and not seen and ms < 1000
