# SPDX-License-Identifier: MIT
"""A board of one emulator on a person's terminal, which is its human port."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from amalgam.board.ending import KernelLog, raise_failure
from amalgam.board.lifetime import end, pass_on_errors, spawn
from amalgam.board.machine import Machine
from amalgam.system.model import System
from amalgam.ui import say


def on_terminal(machine: Machine, system: System) -> int:
    """Until Ctrl-A x or the board's power-off, which may be for a guest's death: a UserError. Returns the emulator's status."""
    if sys.stdin.isatty():
        say("Ctrl-A x leaves, Ctrl-] switches to the control console and back")
    with tempfile.TemporaryDirectory(prefix="amalgam-") as folder, KernelLog(Path(folder)) as kernel:
        tagged = kernel.words() if machine.serial_ports > 1 else []
        process = spawn(
            [*machine.command(), *machine.channels(["-serial", "mon:stdio"], tagged)], stderr=subprocess.PIPE, pass_fds=machine.passed()
        )
        pass_on_errors(process)
        kernel.follow(process)
        try:
            status = process.wait()
        finally:
            end(process)
            if sys.stdin.isatty():
                os.system("stty sane")  # noqa: S605,S607 - the emulator may have been killed in raw mode
        raise_failure(system, kernel.said())
    return status
