# SPDX-License-Identifier: MIT
"""The control-flow graph of one routine: what a call of `entry` can reach without following calls.

A branch to another function's first instruction without LR (a tail call) is followed like any other, so a routine's
bound includes it. Loops are natural ones; a graph with any other cycle is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from amalgam.wcet.code import decode
from amalgam.wcet.image import Image


class Unbounded(Exception):
    """The routine has no bound, for this reason."""


@dataclass
class Block:
    start: int
    words: list[int] = field(default_factory=list)  # addresses
    next: list[int] = field(default_factory=list)  # starts of blocks
    calls: list[tuple[int, ...]] = field(default_factory=list)  # each call's possible targets
    leaves: bool = False


@dataclass
class Loop:
    header: int
    body: set[int]
    back: list[int]  # blocks that jump to the header from inside


@dataclass
class Graph:
    entry: int
    blocks: dict[int, Block]
    loops: list[Loop]
    dominators: dict[int, set[int]]

    def block_of(self, address: int) -> Block | None:
        return next((b for b in self.blocks.values() if address in b.words), None)


def targets(image: Image, address: int) -> tuple[int, ...]:
    """The named targets of the indirect branch at `address`: the marks between the branch before it and itself."""
    found: list[int] = []
    at = address
    while at in image.words:
        found += image.marks["calls"].get(at, [])
        at -= 4
        if at in image.words and decode(at, image.words[at]).indirect:
            break
        if address - at > 256:
            break
    if not found:
        raise Unbounded(f"{image.name(address)}: a branch through a register whose targets nobody names (INDIRECT_CALL)")
    return tuple(dict.fromkeys(found))


def explore(image: Image, entry: int) -> tuple[dict[int, list[int]], dict[int, tuple[int, ...]], set[int]]:
    """Successors of each reachable instruction, the calls, the ends."""
    after: dict[int, list[int]] = {}
    calls: dict[int, tuple[int, ...]] = {}
    ends: set[int] = set()
    todo = [entry]
    while todo:
        at = todo.pop()
        if at in after:
            continue
        if at not in image.words:
            raise Unbounded(f"{image.name(entry)}: control reaches {at:#x}, where no code is")
        if at in image.marks["stops"]:
            after[at] = []  # neither on nor out: no path that counts passes here
            continue
        step = decode(at, image.words[at])
        goes = [at + 4] if step.falls else []
        where = targets(image, at) if step.indirect and not step.leaves else (step.target,) if step.target is not None else ()
        if step.call:
            calls[at] = where
            if not any(returns(image, callee) for callee in where):
                goes = []
        else:
            goes += where
        if step.leaves:
            ends.add(at)
        after[at] = goes
        todo += goes
    return after, calls, ends


def returns(image: Image, entry: int) -> bool:
    """Whether the routine at `entry` can return; while that is being found out, as a caller of itself, it can."""
    if entry not in image.returns:
        image.returns[entry] = True
        image.returns[entry] = bool(explore(image, entry)[2])
    return image.returns[entry]


def graph(image: Image, entry: int) -> Graph:
    """Blocks, dominators and loops of the routine at `entry`; Unbounded when it cannot be bounded."""
    after, calls, ends = explore(image, entry)
    leaders = {entry} | {t for at, goes in after.items() for t in goes if len(goes) != 1 or t != at + 4}
    blocks: dict[int, Block] = {}
    for start in leaders:
        block = Block(start)
        at = start
        while True:
            block.words.append(at)
            if at in calls:
                block.calls.append(calls[at])
            if at in ends:
                block.leaves = True
            goes = after[at]
            if len(goes) == 1 and goes[0] == at + 4 and goes[0] not in leaders:
                at += 4
                continue
            block.next = list(dict.fromkeys(goes))
            break
        blocks[start] = block
    dominators = dominance(entry, blocks)
    return Graph(entry, blocks, loops(image, blocks, dominators), dominators)


def dominance(entry: int, blocks: dict[int, Block]) -> dict[int, set[int]]:
    before: dict[int, list[int]] = {start: [] for start in blocks}
    for block in blocks.values():
        for successor in block.next:
            before[successor].append(block.start)
    found = {start: set(blocks) for start in blocks}
    found[entry] = {entry}
    changed = True
    while changed:
        changed = False
        for start in sorted(blocks):
            if start == entry:
                continue
            new = {start} | set.intersection(*(found[p] for p in before[start]))
            if new != found[start]:
                found[start], changed = new, True
    return found


def loops(image: Image, blocks: dict[int, Block], dominators: dict[int, set[int]]) -> list[Loop]:
    """Natural loops, one for each header."""
    found: dict[int, Loop] = {}
    before: dict[int, list[int]] = {start: [] for start in blocks}
    for block in blocks.values():
        for successor in block.next:
            before[successor].append(block.start)
    removed = set()
    for block in blocks.values():
        for header in block.next:
            if header not in dominators[block.start]:
                continue
            removed.add((block.start, header))
            loop = found.setdefault(header, Loop(header, {header}, []))
            loop.back.append(block.start)
            todo = [block.start]
            while todo:
                at = todo.pop()
                if at not in loop.body:
                    loop.body.add(at)
                    todo += before[at]
    if cycle := remaining_cycle(blocks, removed):
        raise Unbounded(f"{image.name(cycle)}: a cycle with two entries, which no mark can bound")
    return list(found.values())


def remaining_cycle(blocks: dict[int, Block], removed: set[tuple[int, int]]) -> int | None:
    """A block on a cycle once the back edges are gone, or None."""
    degree = dict.fromkeys(blocks, 0)
    for block in blocks.values():
        for successor in block.next:
            degree[successor] += (block.start, successor) not in removed
    todo = [start for start, n in degree.items() if not n]
    while todo:
        at = todo.pop()
        for successor in blocks[at].next:
            if (at, successor) not in removed:
                degree[successor] -= 1
                if not degree[successor]:
                    todo.append(successor)
    left = {start for start, n in degree.items() if n}
    while behind := {s for s in left if not any(t in left and (s, t) not in removed for t in blocks[s].next)}:
        left -= behind  # reached from a cycle, on none
    return min(left, default=None)
