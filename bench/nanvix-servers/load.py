# SPDX-License-Identifier: MIT
"""How many clusters one server has time for, and what it needs: a model whose pieces are counted, and sizes of its program.

A cluster asks, waits for the answer, and asks again at once, as the counted program does. The server's core serves one request after the
other, and its cluster's master passes each request and each answer on; all else of a request's path is its client's own cluster's, and
goes on beside the others'. So the one of the two that has more to do for a request breaks first.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import make_program
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.clocks import Clocks
from amalgam.measure.replay import Replay, Server, Steps

runs, buffer = (module("nanvix", name) for name in ("runs", "buffer"))
RECEIVE, DELIVER = 9, 10  # marks of kernel functions: one is entered
FUNCTIONS = {"cluster_call_mailbox_receive": RECEIVE, "letter_deliver": DELIVER}
MASTER = 0  # the client's cluster's
CLUSTERS, ROUNDS = 16, 200
GAIN = 0.5  # of what the first cluster gets


@dataclass(frozen=True)
class Request:
    """Instructions of one: on its client's side, where others go on beside it, of the server, and of its cluster's master."""

    client: int
    server: int
    master: int


def places(kernel: Path) -> dict[int, int]:
    """The addresses of the marks, for clocks.options()."""
    return buffer.marked(kernel, FUNCTIONS)


def each(found: Clocks, number: int, others: set[int]) -> int:
    """What a hart executes from one of its marks to the next, the median; of the one hart that has them besides `others`."""
    by: dict[int, list[int]] = {}
    for mark in found.marks:
        if mark.number == number and mark.hart not in others:
            by.setdefault(mark.hart, []).append(mark.own)
    [own] = by.values()
    return round(median(b - a for a, b in pairwise(own)))


def request(found: Clocks, batch: int) -> Request:
    client = found.find(1)[0].hart
    server, master = each(found, RECEIVE, {client}), each(found, DELIVER, {MASTER})
    return Request(round(runs.window(found, 1).path / batch) - server - master, server, master)


def rate(r: Request, clusters: int) -> float:
    """Requests in a million instructions, of so many clusters that ask."""
    model = Replay()
    core, master = Server(model), Server(model)

    def asks() -> Steps:
        for _ in range(ROUNDS):
            yield r.client
            yield from master.serve(r.master // 2)
            yield from core.serve(r.server)
            yield from master.serve(r.master - r.master // 2)

    for n in range(clusters):
        model.start(asks(), n)
    return clusters * ROUNDS * 1e6 / model.run()


def rows(name: str, r: Request, how: str) -> list[Row]:
    """Where one more cluster gets less than half of what the first one got, and what all get then."""
    rates = [0.0, *(rate(r, n) for n in range(1, CLUSTERS))]
    breaks = next((n for n in range(2, CLUSTERS) if rates[n] - rates[n - 1] < GAIN * rates[1]), CLUSTERS)
    how = f"{how}: replayed (load.py) from {r.client:,} instructions of a client, {r.server:,} of the server, {r.master:,} of its master"
    return [
        Row(f"{name}-breaks", breaks, "clusters", how=f"{how}: the first that gets less than half of what one alone gets"),
        Row(f"{name}-of-15", round(rates[-1] / rates[1], 2), "ratio", how=f"{how}: requests of 15 clusters by those of one"),
    ]


def size(ctx: Context, name: str) -> list[Row]:
    """Of a server's program: the segment that is executed, and all segments with what is zero at first."""
    from elftools.elf.elffile import ELFFile

    with make_program(f"server-{name}", ctx.progress, MACHINES["riscv64"]).open("rb") as file:
        loads = [s for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
        text, memory = sum(s["p_filesz"] for s in loads if s["p_flags"] & 1), sum(s["p_memsz"] for s in loads)
    return [
        Row(f"text-{name}", text, "bytes", how=f"server-{name}.elf: the segment that is executed"),
        Row(f"memory-{name}", memory, "bytes", how=f"server-{name}.elf: all segments, without stacks and what it maps later"),
    ]


def run(ctx: Context, counted: dict[str, tuple[Clocks, str]], batch: int) -> list[Row]:
    """`counted`: by server, runs with the marks of places()."""
    made = [row for name, (found, how) in counted.items() for row in rows(name, request(found, batch), how)]
    return made + [row for name in ("name", "memory", "process", "caps", "file") for row in size(ctx, name)]
