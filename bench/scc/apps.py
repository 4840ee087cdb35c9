# SPDX-License-Identifier: MIT
"""The parallel programs of user/rcce/programs on some of the cores: the critical path of each part, by the coherence checker's clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amalgam import coherence, paths
from amalgam.benches import Context
from amalgam.errors import UserError

BUFFERS = "31100000:31160000"  # message passing buffers of all cores, physical (docs/scc.md, "Memory")
REGISTERS = ("31200000:31201000", "31160000:31161000")  # RCCE's test-and-set and atomic words: of native programs, of the first process


@dataclass(frozen=True)
class Application:
    """A native program: part p lies between the marks 2 p + 1 and 2 p + 2 of each core."""

    system: Path
    domain: str
    last: str  # what it prints at its end
    parts: tuple[str, ...]


JACOBI = Application(paths.ROOT / "systems" / "jacobi-rcce.yaml", "jacobi", r"jacobi: \d+ us", ("jacobi",))
OTHERS = Application(paths.BENCH / "scc" / "apps.yaml", "apps", "apps: done", ("matmul", "fft", "ep"))


def checked(out: Path, clock: Any) -> list[str]:
    """The emulator's words for RCCE's memory under the checker, with a clock of clocks.py."""
    return coherence.options(out, "line=32", *(f"uc={area}" for area in (BUFFERS, *REGISTERS)), *clock.words)


def measured(ctx: Context, app: Application, cores: int, clock: Any) -> dict[str, int]:
    """Of each part: from the first core's begin to the last one's end."""
    system, out = (ctx.file(f"{app.domain}-{cores}{clock.end}.{end}") for end in ("yaml", "clocks"))
    out.unlink(missing_ok=True)
    system.write_text(app.system.read_text(encoding="utf-8").replace("memory:", f"ues: {cores}, memory:"), encoding="utf-8")
    with ctx.board(str(system), icount=True, extra=checked(out, clock), chosen=tuple(range(cores))) as board:
        board[app.domain].expect(app.last, 300)
    marks = coherence.read(out).marks
    found = {}
    for part, name in enumerate(app.parts):
        begin, end = ({m.core: m.path for m in marks if m.number == 2 * part + side} for side in (1, 2))
        if set(begin) != set(range(cores)) or set(end) != set(begin):
            raise UserError(f"{name}: not every one of {cores} cores has passed both marks", "see the logs in build/bench/scc/logs/")
        found[name] = max(end.values()) - min(begin.values())
    return found
