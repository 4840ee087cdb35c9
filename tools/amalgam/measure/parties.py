# SPDX-License-Identifier: MIT
"""Who in a cluster has sent a message, and for whom it is: programs by their names in the system file, servers of docs/servers.md among them;
and which request of a client each answer of a server ends.

A sender is exact: a message says which process has sent it. A receiver is the server of that cluster whose port it names; else who asked
a server that then answered at this port; else the one program of the cluster that is no server; else only its cluster is known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from amalgam import paths
from amalgam.system.clusters.model import Cluster, ClusterSystem
from amalgam.system.model import Domain

INCLUDE = paths.ROOT / "user" / "include" / "amalgam"
PORTS = {  # of servers: what says at which port each takes requests
    "name": ("names.h", "NAMES_PORT"),
    "memory": ("memory_server.h", "MEMORY_PORT"),
    "process": ("process_server.h", "PROCESSES_PORT"),
    "file": ("cluster_files.h", "FILES_PORT"),
    "caps": ("page_server.h", "CAPS_PORT"),
}
SERVER = re.compile(r"build:server-(\w+)\.elf")
LIFE_BITS = 25  # of a process, below its number in `of` of a message: even words (kernel/cluster/peer.h)


def port_of(server: str) -> int:
    header, name = PORTS[server]
    found = re.search(rf"^#define {name}\s+(\d+)", (INCLUDE / header).read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{header} does not say {name}"
    return int(found[1])


def served(domain: Domain) -> str:
    """Which server a domain's program is: a row of PORTS, or ''."""
    found = SERVER.fullmatch(domain.kernel.text) if domain.kernel else None
    return found[1] if found and found[1] in PORTS else ""


@dataclass(frozen=True, order=True)
class Party:
    """A domain of a cluster, by numbers; domain -1: it is not known which, or the cluster has none."""

    cluster: int
    domain: int


@dataclass(frozen=True)
class Message:
    """From the port of a party to a port of a cluster. `path`: the clock of who sent it."""

    sender: Party
    from_port: int
    to: int
    port: int
    path: int


@dataclass(frozen=True)
class Request:
    """What a client asked a server in `messages` messages, from the first one's `begin` to `end`, when its answer was sent; None: it has none."""

    client: Party
    server: Party
    begin: int
    messages: int
    end: int | None


@dataclass
class Pair:
    """What one client and one server have to do with each other."""

    messages: int = 0
    took: list[int] = field(default_factory=list)  # of requests that were answered

    @property
    def median(self) -> int | None:
        return round(median(self.took)) if self.took else None


class Parties:
    def __init__(self, system: ClusterSystem) -> None:
        self.clusters: list[Cluster] = system.clusters
        self.domains = {Party(c.number, i): d for c in system.clusters if c.own for i, d in enumerate(c.own.domains)}
        self.servers = {party: kind for party, d in self.domains.items() if (kind := served(d))}
        self.at_port = {(party.cluster, port_of(kind)): party for party, kind in self.servers.items()}
        self.learned: dict[tuple[int, int], Party] = {}

    def label(self, party: Party) -> str:
        cluster = self.clusters[party.cluster].name
        return f"{cluster}: {self.domains[party].name}" if party in self.domains else cluster

    def sender(self, cluster: int, of: int) -> Party:
        """By the word `of` of a message; 0, and what no kernel of ours writes, is nobody's."""
        party = Party(cluster, of >> LIFE_BITS)
        return party if of and party in self.domains else Party(cluster, -1)

    def receiver(self, message: Message) -> Party:
        at = (message.to, message.port)
        if known := self.at_port.get(at) or self.learned.get(at):
            return known
        own = [p for p, d in self.domains.items() if p.cluster == message.to and p not in self.servers and not d.spawner]
        return own[0] if len(own) == 1 else Party(message.to, -1)

    def learn(self, messages: Iterable[Message]) -> None:
        """Where a server answers while only one program of that cluster has asked it, that program receives."""
        asked: defaultdict[tuple[Party, int], set[Party]] = defaultdict(set)
        seen: defaultdict[tuple[int, int], Counter[Party]] = defaultdict(Counter)
        for m in messages:
            server = self.at_port.get((m.to, m.port))
            if server and server != m.sender:
                asked[server, m.sender.cluster].add(m.sender)
            elif m.sender in self.servers and len(asked[m.sender, m.to]) == 1:
                [client] = asked[m.sender, m.to]
                seen[m.to, m.port][client] += 1
        self.learned = {at: counts.most_common(1)[0][0] for at, counts in seen.items()}


def requests(parties: Parties, messages: Iterable[Message]) -> list[Request]:
    """In the order of their begins. Of a client that asks a server twice at once both are one."""
    begun: dict[tuple[Party, Party], tuple[int, int]] = {}
    found = []
    for m in messages:
        to = parties.receiver(m)
        if m.sender in parties.servers and (to, m.sender) in begun:
            begin, count = begun.pop((to, m.sender))
            found.append(Request(to, m.sender, begin, count, max(begin, m.path)))
        elif to in parties.servers and to != m.sender:
            begin, count = begun.get((m.sender, to), (m.path, 0))
            begun[m.sender, to] = (begin, count + 1)
    found += [Request(client, server, begin, count, None) for (client, server), (begin, count) in begun.items()]
    return sorted(found, key=lambda r: (r.begin, r.server, r.client))


def pairs(found: Iterable[Request]) -> dict[tuple[Party, Party], Pair]:
    """By server and client."""
    made: defaultdict[tuple[Party, Party], Pair] = defaultdict(Pair)
    for r in found:
        pair = made[r.server, r.client]
        pair.messages += r.messages
        pair.took += [r.end - r.begin] if r.end is not None else []
    return dict(sorted(made.items()))


def matrix(parties: Parties, messages: Iterable[Message]) -> tuple[list[Party], list[list[int]]]:
    """Who has sent or received anything, with all servers, and a row for each sender."""
    counted = Counter((m.sender, parties.receiver(m)) for m in messages)
    who = sorted({party for pair in counted for party in pair} | set(parties.servers))
    return who, [[counted[sender, to] for to in who] for sender in who]
