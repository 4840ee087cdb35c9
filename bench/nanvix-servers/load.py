# SPDX-License-Identifier: MIT
"""How many clusters one server has time for, and what it needs: a model whose pieces are counted, and sizes of its program.

A cluster asks, waits for the answer, and asks again at once, as the counted program does. The server's core serves one question after the
other, and its cluster's master passes each question and each answer on; all else of a request's path is its client's own cluster's, and
goes on beside the others'. So the one of the two that has more to do for a request breaks first. A program that is started comes in
messages that nobody answers: its client, the server and that one's master go on beside each other then.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import make_program
from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row, module
from amalgam.measure.clocks import Clocks, Mark
from amalgam.measure.drawing import picture
from amalgam.measure.replay import Replay, Server, Steps

runs, buffer = (module("nanvix", name) for name in ("runs", "buffer"))
RECEIVE, DELIVER = 9, 10  # marks of kernel functions: one is entered
FUNCTIONS = {"cluster_call_mailbox_receive": RECEIVE, "letter_deliver": DELIVER}
CLIENTS = {0, 2, 3}  # harts of the first one of two clusters: its master, and the next ones behind the masters
CLUSTERS, ROUNDS = 16, 200
GAIN = 0.5  # of what the first cluster gets


@dataclass(frozen=True)
class Counted:
    """A run with the marks of places(), whose client has `batch` requests between a mark and the next one. `answered`: it waits for the
    answer to each message before it sends another one."""

    found: Clocks
    how: str
    batch: int
    mark: int = 1
    answered: bool = True


@dataclass(frozen=True)
class Request:
    """Instructions of one: on its client's side, where others go on beside it, of the server, and of its cluster's master. `parts`:
    questions of which it consists; 0: what is sent is not answered."""

    client: int
    server: int
    master: int
    parts: int


def places(kernel: Path) -> dict[int, int]:
    """The addresses of the marks, for clocks.options()."""
    return buffer.marked(kernel, FUNCTIONS)


def served(run: Counted, number: int) -> tuple[int, int]:
    """Of the one hart of the server's cluster that has marks `number`: what it executes in a window, and how many of them it passes; the
    medians. A window is what is between two ends of the client's."""
    last: Mark | None = None
    passed, ends = 0, []
    for mark in run.found.marks:
        if mark.number == number and mark.hart not in CLIENTS:
            if last and last.hart != mark.hart:
                raise UserError(f"harts {last.hart} and {mark.hart} both have mark {number}", "one server was to be counted")
            last, passed = mark, passed + 1
        elif mark.number == run.mark + 1 and mark.hart in CLIENTS and last:
            ends.append((last.own, passed))
    own, messages = zip(*((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(ends)), strict=True)
    return round(median(own)), round(median(messages))


def request(run: Counted) -> Request:
    (server, messages), (master, _) = served(run, RECEIVE), served(run, DELIVER)
    server, master, path = (round(n / run.batch) for n in (server, master, runs.window(run.found, run.mark).path))
    if not run.answered:
        return Request(path - max(server, master), server, master, 0)
    return Request(path - server - master, server, master, round(messages / run.batch))


def rate(r: Request, clusters: int) -> float:
    """Requests in a million instructions, of so many clusters that ask."""
    model = Replay()
    core, master = Server(model), Server(model)

    def asks() -> Steps:
        for _ in range(ROUNDS):
            for _ in range(r.parts):
                yield r.client // r.parts
                yield from master.serve(r.master // r.parts // 2)
                yield from core.serve(r.server // r.parts)
                yield from master.serve((r.master // r.parts + 1) // 2)
            if not r.parts:
                yield r.client
                yield max(*master.serve(r.master), *core.serve(r.server))

    for n in range(clusters):
        model.start(asks(), n)
    return clusters * ROUNDS * 1e6 / model.run()


def rows(name: str, r: Request, rates: list[float], how: str) -> list[Row]:
    """Where one more cluster gets less than half of what the first one got, and what all get then."""
    breaks = next((n for n in range(2, CLUSTERS) if rates[n] - rates[n - 1] < GAIN * rates[1]), CLUSTERS)
    of = f"{r.parts} questions" if r.parts > 1 else "one question" if r.parts else "messages without answers, all three beside each other"
    how = f"{how}: replayed (load.py) from {r.client:,} instructions of a client, {r.server:,} of the server, {r.master:,} of its master"
    return [
        Row(f"{name}-breaks", breaks, "clusters", how=f"{how}, {of}: the first that gets less than half of what one alone gets"),
        Row(f"{name}-of-15", round(rates[-1] / rates[1], 2), "ratio", how=f"{how}, {of}: requests of 15 clusters by those of one"),
    ]


def plot(rates: dict[str, list[float]], target: Path) -> None:
    """Where the lines bend, a server has no time for more."""
    with picture(target, "Requests that one server gets done", "clusters that ask", "times those of one") as axes:
        at = range(1, CLUSTERS)
        for name, of in rates.items():
            axes.plot(at, [of[n] / of[1] for n in at], "o-", label=name)
        axes.plot(at[:4], at[:4], "k--", label="if it had time for all")
        axes.set_ylim(0)


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


def sizes(ctx: Context) -> list[Row]:
    return [row for name in ("name", "memory", "process", "caps", "file") for row in size(ctx, name)]


def run(ctx: Context, counted: dict[str, Counted]) -> list[Row]:
    """`counted`: by server."""
    requests = {name: request(run) for name, run in counted.items()}
    rates = {name: [0.0, *(rate(r, n) for n in range(1, CLUSTERS))] for name, r in requests.items()}
    plot(rates, ctx.file("breaks.png"))
    return [row for name, run in counted.items() for row in rows(name, requests[name], rates[name], run.how)]
