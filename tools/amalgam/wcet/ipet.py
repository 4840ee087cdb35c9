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


def limits(image: Image, graph: Graph) -> list[tuple[Loop, int, int | None]]:
    """Each loop with the block that its mark stands in and the mark's number; None for a loop that waits."""
    found = []
    for loop in graph.loops:
        inner = set().union(
            *(other.body for other in graph.loops if other is not loop and other.header in loop.body and other.body < loop.body)
        )
        own = loop.body - inner
        marks: list[tuple[int, int | None]] = []
        for start in own:
            for address in graph.blocks[start].words:
                marks += [(start, value) for value in image.marks["loops"].get(address, [])]
                marks += [(start, None) for _ in image.marks["waits"].get(address, [])]
        if not marks:
            raise Unbounded(f"{image.name(loop.header)}: a loop without a bound (LOOP_BOUND)")
        through = [(start, n) for start, n in marks if all(start in graph.dominators[back] for back in loop.back)]
        if not through:
            raise Unbounded(f"{image.name(loop.header)}: not every iteration passes the loop's mark")
        waits = [m for m in through if m[1] is None]
        found.append((loop, *(waits[0] if waits else min(through, key=lambda m: m[1] or 0))))
    return found


def longest(image: Image, graph: Graph, cost: Callable[[int], int], call: Callable[[tuple[int, ...]], Bound], wait: int = 0) -> Bound:
    """The bound of a routine. `call` gives the bound of the dearest of a call's targets; `wait` the cost of a wait."""
    import pulp

    bounded = limits(image, graph)
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
    waiting = [start for _, start, n in bounded if n is None]
    problem += pulp.lpSum((price[start] + wait * (start in waiting)) * runs[start] for start in graph.blocks)
    problem += taken[(None, graph.entry)] == 1
    for start in graph.blocks:
        problem += runs[start] == pulp.lpSum(taken[e] for e in edges if e[0] == start)
        if not all(c.returns for c in callees[start]):
            problem += runs[start] == 0
    for loop, start, n in bounded:
        entering = pulp.lpSum(taken[e] for e in edges if e[1] == loop.header and e[0] not in loop.back)
        problem += runs[start] <= (1 if n is None else n) * entering
    status = problem.solve(pulp.PULP_CBC_CMD(msg=0))
    if status == pulp.LpStatusInfeasible:
        return Bound(0, returns=False)
    if status != pulp.LpStatusOptimal:
        raise Unbounded(f"{image.name(graph.entry)}: no longest path: {pulp.LpStatus[status].lower()}")
    counts = {start: round(pulp.value(expression)) for start, expression in runs.items()}
    waits = sum(counts[start] for start in waiting) + sum(counts[s] * c.waits for s, cs in callees.items() for c in cs)
    return Bound(round(pulp.value(problem.objective)), waits, counts)
