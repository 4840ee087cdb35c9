# SPDX-License-Identifier: MIT
"""Do clusters get in each other's way, and the harts of one? bench/nanvix/programs/scale.c on machines of more and more of them.

Each cluster does the same at the same time. A call of the master and a thread's life concern one cluster, so they should take what they
take alone; a message concerns two, but every master looks at a word of every lane when it is rung.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from amalgam.errors import UserError
from amalgam.measure.benches import Context, Row
from amalgam.measure.clocks import Clocks

CALL, MESSAGE, THREAD = 1, 3, 5  # marks of bench/nanvix/programs/scale.c; each ends at the next number
BATCH = 20  # of calls and messages between two marks
WINDOWS = 31  # of each kind in each cluster; the first is not counted


@dataclass(frozen=True)
class Size:
    """A machine: `compute` clusters of `harts` besides `io` clusters of `io_harts`."""

    compute: int
    harts: int
    io: int = 1
    io_harts: int = 2

    @property
    def clusters(self) -> int:
        return self.io + self.compute

    @property
    def all_harts(self) -> int:
        return self.io * self.io_harts + self.compute * self.harts


BY_CLUSTERS = tuple(Size(n - 1, 2) for n in (1, 2, 5, 9, 13, 17, 20))
BY_HARTS = tuple(Size(0, 0, io_harts=harts) for harts in (2, 4, 9, 17, 32))
WHOLE = Size(16, 17, 4, 4)  # an MPPA-256


def system(size: Size) -> str:
    """Its system file: every cluster's program has as many threads as it has harts for them: none is a DMA engine."""

    def cluster(kind: str, count: int, harts: int, ends: str) -> str:
        program = f'kind: process, program: build:scale.elf, arguments: [scale, "{harts - 1}"], threads: {harts}'
        return f"  {kind}: {{kind: {kind}, count: {count}, harts: {harts}, dma: false, domains: {{scale: {{{program}, memory: {128 + 32 * harts}K{ends}}}}}}}\n"

    lines = "system: nanvix-scale\nboard: manycore\nkernel: shape:cluster\nclusters:\n"
    lines += cluster("io", size.io, size.io_harts, ", power: board")
    return lines + (cluster("compute", size.compute, size.harts, "") if size.compute else "")


@dataclass(frozen=True)
class Costs:
    """Instructions, view path: of a call, of a message there and one from elsewhere, of a thread's life."""

    call: float
    message: float
    thread: float


def costs(found: Clocks, size: Size) -> Costs:
    """The median over all windows of all clusters but their first ones. `thread`: of the clusters with most harts, a thread's share."""

    def middle(mark: int, per: int, first_hart: int = 0) -> float:
        by_hart: dict[int, list[int]] = defaultdict(list)
        begun: dict[int, int] = {}
        for at in found.marks:
            if at.number == mark:
                begun[at.hart] = at.path
            elif at.number == mark + 1:
                by_hart[at.hart].append(at.path - begun[at.hart])
        if sorted(len(windows) for windows in by_hart.values()) != [WINDOWS] * size.clusters:
            raise UserError(f"{size.clusters} clusters did not measure {WINDOWS} times each", "look at what the board said")
        return statistics.median(path for hart, windows in by_hart.items() if hart >= first_hart for path in windows[1:]) / per

    most, first = (size.harts, size.io * size.io_harts) if size.compute else (size.io_harts, 0)
    return Costs(middle(CALL, BATCH), middle(MESSAGE, BATCH), middle(THREAD, most - 1, first))


def rows(ctx: Context, counted: Callable[..., tuple[Clocks, str]]) -> tuple[list[Row], dict[int, Costs], dict[int, float]]:
    """Rows, and what the picture shows: costs by clusters, a thread's by harts. `counted` runs a system of the bench's folder."""
    found = {}
    for size in dict.fromkeys((*BY_CLUSTERS, *BY_HARTS, WHOLE)):
        name = f"together-{size.clusters}-{size.all_harts}"
        ctx.file(f"{name}.yaml").write_text(system(size), encoding="utf-8")
        found[size] = costs(counted(ctx, name, 64)[0], size)
    how = "build/bench/nanvix/together-{}-{}.yaml, tools/plugin/clocks.c: all clusters at the same time, {}; median; view path"

    def row(name: str, size: Size, what: str, does: str) -> Row:
        cost = round(getattr(found[size], what))
        return Row(f"together-{name}", cost, "instructions", None, None, how.format(size.clusters, size.all_harts, does))

    made = []
    for n, size in ((2, BY_CLUSTERS[1]), (20, BY_CLUSTERS[-1]), (288, WHOLE)):
        made += [
            row(f"call-{n}", size, "call", "a call of the master"),
            row(f"message-{n}", size, "message", "128 bytes to the next cluster, and from the one before"),
        ]
    lives = "a thread's share of one thread a hart but the first, created and joined"
    made += [row(f"thread-{n}", size, "thread", lives) for n, size in ((1, BY_HARTS[0]), (31, BY_HARTS[-1]), (288, WHOLE))]
    by_clusters = {size.clusters: found[size] for size in BY_CLUSTERS}
    return made, by_clusters, {size.all_harts: found[size].thread for size in BY_HARTS}
