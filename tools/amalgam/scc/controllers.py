# SPDX-License-Identifier: MIT
"""The four memory controllers of an SCC, and what lies behind each.

The mesh is 6 x 4 tiles of two cores. A controller stands beside the tiles (0,0), (5,0), (0,2) and (5,2), and has the memory of its
quadrant: 3 x 2 tiles, 12 cores. Its memory here, in slices of 16 MiB: one for each of these cores in the order of their numbers, one
whose last 64 KiB are the start-up code, and behind the first controller the memory that all cores share.
"""

from __future__ import annotations

from amalgam.board.scc import CORES, SHARED_AT, own_memory

ACROSS, UP = 6, 4  # tiles
CONTROLLERS = ("mch_0_0", "mch_5_0", "mch_0_2", "mch_5_2")  # sccKit's names of their images
OWN = CORES // len(CONTROLLERS)
START_UP, SHARED = OWN, OWN + 1  # slices behind those of the cores
START_UP_AT = 0xFF000000  # where a core sees it; on the emulated board it is the ROM


def controller_of(core: int) -> str:
    """The name of the controller that has a core's own memory."""
    tile = core // 2
    x, y = tile % ACROSS, tile // ACROSS
    return CONTROLLERS[(x >= ACROSS // 2) + 2 * (y >= UP // 2)]


def cores_of(controller: str) -> list[int]:
    """The cores whose memory a controller has, as their slices follow each other."""
    return [core for core in range(CORES) if controller_of(core) == controller]


def slices_of(controller: str) -> int:
    """How many slices a controller has."""
    return OWN + (2 if controller == CONTROLLERS[0] else 1)


def board_address(controller: str, number: int) -> int:
    """Where the emulated board has a controller's slice."""
    if number == SHARED:
        return SHARED_AT
    return START_UP_AT if number == START_UP else own_memory(cores_of(controller)[number])
