# SPDX-License-Identifier: MIT
"""What a person types for a debugger of a board that waits for it (`run --gdb`): one for the board, or one for each of its emulators."""

from __future__ import annotations

from pathlib import Path

from amalgam import paths
from amalgam.board.fleet import Fleet
from amalgam.board.machine import GDB_PORT, Machine
from amalgam.board.manycore import Manycore
from amalgam.board.manycore_fleet import ManycoreFleet
from amalgam.board.scc_fleet import SccFleet
from amalgam.board.virt import VirtMachine

SCRIPT, SCRIPT_405 = "tools/gdb/amalgam.py", "tools/gdb/ppc405.py"
CLOCKS = "; cores other than 0 start when core 0 has run and measured the clocks"


def typed(port: int, kernel: Path | str, tool: str = "gdb-multiarch", script: str = SCRIPT) -> str:
    """The line for one gdb, with the kernel's names."""
    shown = paths.shown(kernel) if isinstance(kernel, Path) else kernel
    return f"{tool}{f' -x {script}' if script else ''} {shown} -ex 'target remote 127.0.0.1:{port}'"


def debuggers(machine: Machine | Fleet | Manycore) -> list[tuple[str, str]]:
    """Who waits on a port of its own, and the line for it; one without a name is the whole board."""
    if isinstance(machine, ManycoreFleet):
        clusters = zip(machine.names, machine.kernels, strict=True)
        return [(f"cluster {i} ({name})", typed(machine.gdb_port + i, kernel)) for i, (name, kernel) in enumerate(clusters)]
    if isinstance(machine, Manycore):
        return [("", typed(machine.gdb_port, "KERNEL", script=""))]
    if isinstance(machine, Fleet):
        return [(f"core {i}", typed(machine.gdb_port + i, machine.kernel, script=SCRIPT_405)) for i in range(machine.cores)]
    if isinstance(machine, SccFleet):
        return [(f"core {i}", typed(machine.gdb_port + i, machine.kernel, "gdb")) for i in sorted(machine.chosen)]
    return [("", typed(GDB_PORT, machine.kernel, "gdb-multiarch" if isinstance(machine, VirtMachine) else "gdb"))]


def hint(machine: Machine | Fleet | Manycore) -> str:
    """What to type in other terminals, and for whom."""
    lines = debuggers(machine)
    if len(lines) == 1 and not lines[0][0]:
        threads = " (a thread is a hart)" if isinstance(machine, Manycore) else ""
        return f"waiting for a debugger; in another terminal{threads}:\n  {lines[0][1]}"
    first = CLOCKS if isinstance(machine, SccFleet) else ""
    return f"each emulator waits for a debugger of its own, in another terminal{first}:" + "".join(
        f"\n  {who}: {line}" for who, line in lines
    )
