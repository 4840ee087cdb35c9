# SPDX-License-Identifier: MIT
"""Figure 3 and the worst wait of section 3.3: the lock's routines for one to eight cores, counted without rivals; the wait by the
paper's formula from them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amalgam import paths, proc
from amalgam.benches import Context, Row
from amalgam.errors import UserError
from amalgam.visits import options, read, symbols
from amalgam.wcet.analyse import Analysis
from amalgam.wcet.code import one
from amalgam.wcet.image import load
from amalgam.wcet.ipet import Others

CORES = range(1, 9)
ROUNDS = 16
# The paper's figures for four cores; its wait and signal are without the mutex around them, ours here, too.
PAPER = {"mutex-start-4": 169, "mutex-stop": 11, "wait-short": 14, "wait-long": 46, "signal-short": 15, "signal-long": 54, "bakery-worst-4": 1797}
HOW = "./amalgam bench proteus: guests/ppc405/locks, the kernel's bakery.c and sem.c, instructions"


def counted(ctx: Context, guest: Path, cores: int) -> dict[str, int]:
    """Instructions of each routine on a board of `cores`; calls and returns are part of them."""
    from amalgam.board.native import NativeBoard
    from amalgam.system.partition.compile import compile_system

    source = ctx.file(f"locks-{cores}.yaml")
    source.write_text(
        "# SPDX-License-Identifier: MIT\nsystem: locks\nboard: ref405ep\ncores: 1\ndomains:\n"
        f"  locks: {{kernel: build:locks.elf, memory: 4M, cores: [0], cmdline: cores={cores}}}\n"
    )
    system, _ = compile_system(source, ctx.progress)
    out = ctx.file(f"locks-{cores}.visits")
    out.unlink(missing_ok=True)
    with NativeBoard(system.domains[0], system.memory, options(guest, out)) as board:
        board.console.expect(rf"locks: cores={cores} done", 60)
        board.wait(30)
    found, where = read(out), symbols(guest)
    made = {}
    for name in ("mutex_start", "mutex_stop", "wait_short", "signal_short", "signal_long"):
        start = where[f"measure_{name}"]
        spans = [count for (a, b), count in found.spans.items() if start <= a < b < start + 256]
        if len(spans) != 1 or spans[0].n < ROUNDS:
            raise UserError(f"'{name}' was not measured {ROUNDS} times on {cores} cores", HOW)
        made[name] = spans[0].high
    return made
