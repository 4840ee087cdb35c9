# SPDX-License-Identifier: MIT
"""A system on another board than the one that it was written for."""

from __future__ import annotations

from typing import Any

from amalgam.build.iso import relatives
from amalgam.errors import UserError
from amalgam.system.families import family_named
from amalgam.system.read import named_board
from amalgam.system.source import Diagnostics
from amalgam.system.units import show_size


def move(system: Any, name: str) -> None:
    """Let a system run on another board than the one that it was written for, from a CD image that has that one's kernel. UserError: no CD image of the system has."""
    refused = f"this system does not run on the board {name}: "
    if "iso" not in family_named(system.board.family).commands:
        raise UserError(refused + "it is none for a PC", "leave --board out", 2)
    kernels, system.board = relatives(system.shape()), named_board(name, Diagnostics())
    assert system.board
    if system.shape() not in kernels:
        raise UserError(refused + f"a CD image of it has one of the kernels {', '.join(kernels)}", "leave --board out", 2)
    if system.cores > system.board.max_cores or system.memory > system.board.max_memory:
        most = f"{system.board.max_cores} cores and {show_size(system.board.max_memory)}"
        raise UserError(refused + f"that has at most {most}", "write a smaller one", 2)
