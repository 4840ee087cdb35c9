# SPDX-License-Identifier: MIT
"""`check`: all rules of a system file, nothing built or run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.errors import UserError


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "check",
        "check a system file",
        "Check a system file completely and report everything that is wrong as "
        "file:line:column, what is wrong, what would be right. Nothing is built or fetched.",
        ["check debian", "check mine.yaml --json"],
    )
    parser.add_argument("system", metavar="SYSTEM", help="a name in systems/ or a path that ends in .yaml")
    parser.add_argument(
        "--json", action="store_true", help='{"system": ..., "ok": ..., "errors": [{"file", "line", "column", "wrong", "right"}]}'
    )


def run(args: argparse.Namespace) -> int:
    from amalgam.system.compile import checked, locate
    from amalgam.system.source import Mark, Problem, SystemFileError

    path = Path(args.system)
    try:
        path = locate(args.system)
        system = checked(path, False, lambda _text: None)
    except UserError as error:
        if not args.json:
            raise
        problems = error.problems if isinstance(error, SystemFileError) else [Problem(Mark(path), error.what, error.step)]
        print(json.dumps({"system": paths.shown(path), "ok": False, "errors": [p.record() for p in problems]}))
        return error.status
    if args.json:
        print(json.dumps({"system": paths.shown(path), "ok": True, "errors": []}))
    else:
        print(f"{paths.shown(path)}: right ({system.described()})")
    return 0
