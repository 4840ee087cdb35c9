# SPDX-License-Identifier: MIT
"""`monitor`: a system with its control console, for a person or a script."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from amalgam.cli import describe
from amalgam.errors import UserError
from amalgam.ui import say, working

if TYPE_CHECKING:
    from amalgam.board.speakers import Speakers


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "monitor",
        "run a system with its control console",
        "Run a system; lines typed go to its control console (help, list, start, stop, "
        "restart, stats, trace, cpus, mem, quit), what the domains say is shown on stderr.",
        ["monitor debian", "monitor debian --command list --command 'stats rt'", "monitor debian --command list --json"],
    )
    parser.add_argument("system", metavar="SYSTEM", help="a name in systems/ or a path that ends in .yaml")
    parser.add_argument("--command", action="append", default=[], dest="lines", metavar="LINE", help="run this and leave; may be repeated")
    parser.add_argument("--after", metavar="DOMAIN:PATTERN", help="first wait until DOMAIN (or kernel) says PATTERN, a regular expression")
    parser.add_argument("--timeout", type=float, default=300, metavar="S", help="longest wait (default 300)")
    parser.add_argument(
        "--json",
        action="store_true",
        help='with --command: {"LINE": "answer", ...}; the answer to health: [{"name", "health", "watchdog_ms", "left_ms"}, ...]',
    )


def run(args: argparse.Namespace) -> int:
    from amalgam.board.echo import echo_consoles
    from amalgam.board.machine import machine_for
    from amalgam.board.monitor import await_monitor, command, health
    from amalgam.system.compile import compile_system, kernel_of, locate_for

    path = locate_for(args.system, "monitor")
    with working(f"building {args.system}") as progress:
        kernel_of(path, progress)
        system, image = compile_system(path, progress)
    with machine_for(system, image).board(system.speakers) as board:
        if not args.lines:
            echo_consoles(board)
        await_monitor(board, args.timeout)
        if args.after:
            domain, _, pattern = args.after.partition(":")
            if domain not in [*board.names, "kernel"]:
                raise UserError(f"the system has no domain '{domain}'", f"its domains are {', '.join(board.names)}", 2)
            board[domain].expect(pattern, args.timeout)
        if args.lines:
            answers = {line: command(board, line, args.timeout) for line in args.lines}
            told = {line: health(answer) if line.strip() == "health" else answer for line, answer in answers.items()}
            print(json.dumps(told) if args.json else "".join(answers.values()), end="\n" if args.json else "")
            return 0
        return talk(board)


def talk(board: Speakers) -> int:
    """Read lines until the end of input or of the board."""
    from amalgam.board.monitor import command

    say("`help` lists the commands; Ctrl-D leaves")
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            sys.stdout.write(command(board, line.strip()))
            sys.stdout.flush()
        except UserError as error:
            say(error.what)
        if board.ended():
            break
    return 0
