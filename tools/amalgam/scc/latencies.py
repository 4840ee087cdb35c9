# SPDX-License-Identifier: MIT
"""Fills at the part's latencies: where the shared memory is at home, as words for the coherence checker (tools/plugin/coherence_mesh.c).

Message passing buffers and RCCE's test-and-set registers are in their cores' tiles. All else is behind the controller that has the shared
memory's slice; a kernel that moves frames takes a quarter of the pages of shared virtual memory for each controller's.
"""

from __future__ import annotations

from amalgam.board.scc import CORES, SHARED_AT, SLICE
from amalgam.scc.controllers import CONTROLLERS

BUFFERS, BUFFER = 0x100000, 0x2000  # of the shared memory (board/scc.h)
REGISTERS, REGISTER = (0x160000, 0x200000), 32  # of the first process, of native programs: a line for each core (user/rcce/rcce.h)
PAGES = 0x500000


def places(quarters: bool) -> list[tuple[int, int, str]]:
    """Where each part begins and ends in the shared memory, and the rest of its word: bytes of a core, or the controller's tile."""
    tiles = [(BUFFERS, BUFFER), *((at, REGISTER) for at in REGISTERS)]
    found, free = [], 0
    for begin, each in tiles:
        found += [(free, begin, "0:0"), (begin, begin + CORES * each, f"{each:x}")]
        free = begin + CORES * each
    corners = [name.removeprefix("mch_").replace("_", ":") for name in CONTROLLERS] if quarters else []
    edges = [PAGES + i * (SLICE - PAGES) // len(CONTROLLERS) for i in range(len(corners))]
    found += zip([free, *edges], [*edges, SLICE], ["0:0", *corners], strict=True)
    return [(begin, end, rest) for begin, end, rest in found if begin < end]


def words(quarters: bool = False) -> tuple[str, ...]:
    """The options; `quarters`: the kernel moves frames."""
    return tuple(
        f"{'dram' if ':' in rest else 'mpb'}={SHARED_AT + begin:x}:{SHARED_AT + end:x}:{rest}" for begin, end, rest in places(quarters)
    )
