# SPDX-License-Identifier: MIT
"""The machine that `run` starts: a system, built, on its board, with the options of the command."""

from __future__ import annotations

import argparse
from typing import Any

from amalgam.board.started import Started
from amalgam.errors import UserError
from amalgam.ui import working


def prepared(args: argparse.Namespace) -> tuple[Any, Started]:
    """Everything built; the system of whatever family, and the machine to start."""
    from amalgam.board.dead import held
    from amalgam.board.machine import machine_for
    from amalgam.build.moved import move
    from amalgam.system.compile import compile_system, kernel_of, locate
    from amalgam.system.guest import guest_file

    if args.system == "guest":
        if not args.kernel:
            raise UserError("'run guest' needs a kernel", "./amalgam run guest --kernel FILE", 2)
        path = guest_file(args)
    else:
        path = locate(args.system)
    with working(f"building {args.system}") as progress:
        kernel_of(path, progress)
        system, image = compile_system(path, progress, change=held if args.core else None)
        if args.board and args.system != "guest":
            move(system, args.board)
        machine = machine_for(system, image)
        machine.refuse(system, args)
        machine.take(args, progress)
    return system, machine
