# SPDX-License-Identifier: MIT
"""`scc reset`: some cores of a running board start anew, the others go on (sccReset).

The kernel of core 0 stops a core by INIT and sends it into the start-up code, which says in the information's first word that it waits.
Only then is the core's memory cleared and loaded, from outside: nothing runs there. The emulator keeps what it has translated of the
core's code; that stays right, because it forgets what the core itself wrote over, and the rest is loaded as it was.

All cores are stopped before the first one begins again: else its new kernel would see the next one end.
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Sequence

from amalgam.board.board import Board
from amalgam.board.console import SCALE
from amalgam.board.monitor import command
from amalgam.board.scc import INFO, own_memory
from amalgam.board.speakers import Speakers
from amalgam.errors import UserError
from amalgam.scc.images import Images, pieces

WAITS = 0x57434353  # kernel/board/scc/reset.S


def reset(
    board: Board,
    memory: int,
    images: Images,
    cores: Sequence[int],
    chosen: Sequence[int],
    khz: int,
    lives: dict[int, int],
    timeout: float = 60,
) -> None:
    """Reset the cores, each of which begins the life behind lives[core], which goes on; returns when their kernels are up."""
    if 0 in cores or not set(cores) <= set(chosen):
        raise UserError("only cores that were booted are reset, and not core 0, which does it", "scc reset DIR --cores LIST", 2)
    for core in cores:
        images.check_core(core)
    for core in cores:
        command(board, f"reset {core}", timeout)
        await_core(memory, core, timeout)
    start = len(board.kernel.text)
    for core in cores:
        for at, data in pieces(memory, own_memory(core)):
            os.pwrite(memory, bytes(len(data)), own_memory(core) + at)
        lives[core] += 1
        images.load(memory, core, chosen, khz, own_memory(core), lives[core])
    for core in cores:
        await_kernel(board, core, start, timeout)


def await_kernel(board: Speakers, core: int, start: int, timeout: float) -> None:
    """Wait until a core's kernel says that it is up, in what core 0 has printed from `start` on."""
    board.kernel.seek(start)
    board.kernel.expect(rf"core {core}: (?:{re.escape('[amalgam] ')})?scc: tile {core // 2}, memory from", timeout)


def await_core(memory: int, core: int, timeout: float) -> None:
    """Wait until a core's start-up code waits for its memory."""
    end = time.monotonic() + timeout * SCALE
    while struct.unpack("<I", os.pread(memory, 4, own_memory(core) + INFO))[0] != WAITS:
        if time.monotonic() > end:
            raise UserError(f"core {core} did not come into its start-up code within {timeout * SCALE:.0f} s", "reset it again")
        time.sleep(0.01)
