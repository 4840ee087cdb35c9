# SPDX-License-Identifier: MIT
"""What a person types for a debugger of a board that waits for it (`run --gdb`): one for the board, or one for each of its emulators.

Each kind of machine says who waits, and where (`debuggers()`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from amalgam import paths

if TYPE_CHECKING:
    from amalgam.board.started import Started

GDB_PORT = 1234  # of a board in one emulator, or of its first one
SCRIPT, SCRIPT_405 = "tools/gdb/amalgam.py", "tools/gdb/ppc405.py"
SCRIPTS_RING1 = f"{SCRIPT} -x tools/gdb/ring1.py"  # for a kernel that has guests in ring 1


def typed(port: int, kernel: Path | str, tool: str = "gdb-multiarch", script: str = SCRIPT) -> str:
    """The line for one gdb, with the kernel's names."""
    shown = paths.shown(kernel) if isinstance(kernel, Path) else kernel
    return f"{tool}{f' -x {script}' if script else ''} {shown} -ex 'target remote 127.0.0.1:{port}'"


def hint(machine: Started) -> str:
    """What to type in other terminals, and for whom."""
    lines = machine.debuggers()
    if len(lines) == 1 and not lines[0][0]:
        return f"waiting for a debugger; in another terminal{machine.GDB_NOTE}:\n  {lines[0][1]}"
    return f"each emulator waits for a debugger of its own, in another terminal{machine.GDB_NOTE}:" + "".join(
        f"\n  {who}: {line}" for who, line in lines
    )
