# SPDX-License-Identifier: MIT
"""Implicit path enumeration (Li and Malik): how often each block runs on the longest path, as an integer linear program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from amalgam.wcet.flow import Graph, Loop, Unbounded
from amalgam.wcet.image import Image


@dataclass
class Bound:
    cost: int
    waits: int = 0  # how often the path waits for another core
    returns: bool = True  # False: every path ends in NEVER_RETURNS
    counts: dict[int, int] = field(default_factory=dict)  # block start -> executions on the longest path


@dataclass
class Others:
    """What waiting for other cores costs."""

    cores: int = 1
    turn: int = 0  # until one of them leaves the bakery
    wait: int = 0  # until all of them had the lock

    def __getitem__(self, mark: int) -> int:
        return {TURN: self.turn, WAIT: self.wait}[mark]


TURN, WAIT = 1, 2  # values of the marks in .wcet.waits


def limits(image: Image, graph: Graph, cores: int) -> list[tuple[Loop, int, int, int]]:
    """Each loop with the block that its mark stands in, how often that may run, and TURN or WAIT (0: it does not wait)."""
    found = []
    for loop in graph.loops:
        inner = set().union(
            *(other.body for other in graph.loops if other is not loop and other.header in loop.body and other.body < loop.body)
        )
        own = loop.body - inner
        marks: list[tuple[int, int, int]] = []
        for start in own:
            for address in graph.blocks[start].words:
                marks += [(start, value or cores, 0) for value in image.marks["loops"].get(address, [])]
                marks += [(start, 1, value) for value in image.marks["waits"].get(address, [])]
        if not marks:
            raise Unbounded(f"{image.name(loop.header)}: a loop without a bound (LOOP_BOUND)")
        found += [(loop, *mark) for mark in chosen(image, graph, loop, marks)]
    return found


def chosen(image: Image, graph: Graph, loop: Loop, marks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The marks that bound a loop: the smallest that every iteration passes. The compiler may have made one loop of two
    that begin alike; then each way back must pass a mark, and those of the inner loop count for each turn of the outer."""

    def passed(back: int) -> list[tuple[int, int, int]]:
        return [mark for mark in marks if mark[0] in graph.dominators[back]]

    through = [mark for mark in marks if all(mark in passed(back) for back in loop.back)]
    if through:
        return [min(through, key=lambda mark: mark[1])]
    if not all(passed(back) for back in loop.back):
        raise Unbounded(f"{image.name(loop.header)}: not every iteration passes the loop's mark")
    turns = max(n for _, n, kind in marks if not kind) if any(not kind for _, _, kind in marks) else 1
    # a core does not wait for itself: of all cores only the others have a turn
    return [(start, n * turns - (kind == TURN) if kind else n, kind) for start, n, kind in marks]


def longest(image: Image, graph: Graph, cost: Callable[[int], int], call: Callable[[tuple[int, ...]], Bound], others: Others) -> Bound:
    """The bound of a routine. `call` gives the bound of the dearest of a call's targets."""
    import pulp

    bounded = limits(image, graph, others.cores)
    if not any(block.leaves for block in graph.blocks.values()):
        return Bound(0, returns=False)
    problem = pulp.LpProblem("longest_path", pulp.LpMaximize)
    edges: list[tuple[int | None, int | None]] = [(None, graph.entry)]
    for block in graph.blocks.values():
        edges += [(block.start, successor) for successor in block.next]
        if block.leaves:
            edges.append((block.start, None))
    taken = {edge: pulp.LpVariable(f"e{index}", 0, cat="Integer") for index, edge in enumerate(edges)}
    runs = {start: pulp.lpSum(taken[e] for e in edges if e[1] == start) for start in graph.blocks}
    callees = {start: [call(where) for where in block.calls] for start, block in graph.blocks.items()}
    price = {
        start: sum(cost(image.words[a]) for a in block.words) + sum(c.cost for c in callees[start]) for start, block in graph.blocks.items()
    }
    for _, start, _, kind in bounded:
        price[start] += others[kind] if kind else 0
    problem += pulp.lpSum(price[start] * runs[start] for start in graph.blocks)
    problem += taken[(None, graph.entry)] == 1
    for start in graph.blocks:
        problem += runs[start] == pulp.lpSum(taken[e] for e in edges if e[0] == start)
        if not all(c.returns for c in callees[start]):
            problem += runs[start] == 0
    for loop, start, n, _ in bounded:
        entering = pulp.lpSum(taken[e] for e in edges if e[1] == loop.header and e[0] not in loop.back)
        problem += runs[start] <= n * entering
    status = problem.solve(pulp.PULP_CBC_CMD(msg=0))
    if status == pulp.LpStatusInfeasible:
        return Bound(0, returns=False)
    if status != pulp.LpStatusOptimal:
        raise Unbounded(f"{image.name(graph.entry)}: no longest path: {pulp.LpStatus[status].lower()}")
    counts = {start: round(pulp.value(expression)) for start, expression in runs.items()}
    waits = sum(counts[start] for _, start, _, kind in bounded if kind == WAIT) + sum(
        counts[s] * c.waits for s, cs in callees.items() for c in cs
    )
    return Bound(round(pulp.value(problem.objective)), waits, counts=counts)
