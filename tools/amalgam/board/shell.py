# SPDX-License-Identifier: MIT
"""Run commands at a shell on a console and get exactly their output and status."""

from __future__ import annotations

import secrets
import shlex
import time

from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.errors import UserError

# The cursor stands behind a prompt, or did until the guest's kernel wrote a line there.
PROMPT = r"[#$] (?:\x1b\[[0-9;?]*[A-Za-z])*(?:\Z|\[ *\d+\.\d{6}\] )"
LONGEST = 900  # line editors of small shells take about a thousand bytes


def await_shell(console: Console, timeout: float) -> None:
    """Wait for a prompt, then make sure that a shell answers (a kernel message may look like a prompt)."""
    deadline = time.monotonic() + timeout * SCALE
    hint = f"is there a shell on the console of '{console.name}'? --console shows everything that is said"
    console.expect(PROMPT, timeout, hint)
    while True:
        token = secrets.token_hex(4)
        console.send(f"echo AMG''P-{token}\n")
        try:
            console.expect(f"AMGP-{token}", min(15.0, max(1.0, (deadline - time.monotonic()) / SCALE)), hint)
            return
        except ConsoleError:
            if console.ended() or time.monotonic() > deadline:
                raise


def run_command(console: Console, command: str, timeout: float) -> tuple[str, int]:
    """Type `command`; what it printed, and its exit status. The marks are typed in two parts, so their echo is no match."""
    token = secrets.token_hex(4)
    line = f"echo AMG''B-{token}; sh -c {shlex.quote(command)}; echo AMG''E-{token}-$?"
    if len(line) > LONGEST or "\n" in line:
        raise UserError(
            "the command is too long to type, or has more than one line", "put it into a script inside the guest's initrd or disk"
        )
    console.send(line + "\n")
    console.expect(f"AMGB-{token}\r*\n", 60)
    start = console.position
    end = console.expect(rf"AMGE-{token}-(\d+)\r*\n", timeout, "raise --timeout, or see what hangs with --console")
    return console.text[start : end.start()].replace("\r\n", "\n"), int(end[1])
