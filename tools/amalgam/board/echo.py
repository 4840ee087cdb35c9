# SPDX-License-Identifier: MIT
"""Show what all speakers of a board say, line by line, on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from amalgam.board.speakers import Speakers

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def echo_consoles(board: Speakers) -> None:
    """From now on every complete line is shown as `name| line`."""
    width = max(len(console.name) for console in board.consoles.values())
    for console in board.consoles.values():
        console.listen(line_printer(f"{console.name:>{width}}| "))


def line_printer(prefix: str) -> Callable[[str], None]:
    rest = ""

    def listen(text: str) -> None:
        nonlocal rest
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            print(prefix + CONTROLS.sub("", line), file=sys.stderr, flush=True)

    return listen
