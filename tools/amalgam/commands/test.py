# SPDX-License-Identifier: MIT
"""`test`: the whole test suite, or a part, by pytest."""

from __future__ import annotations

import argparse
import os
import sys

from amalgam import paths
from amalgam.cli import describe

PATIENCE = "3"  # times what a user waits: a machine that judges has other work, and only what fails takes longer


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "test",
        "run the tests",
        "Unit tests, short fuzz runs, model checks, tests of the tools, and systems on the board. The last lines are pytest's summary.",
        ["test", "test full", "test unit", "test fuzz_elf", "test system -- -x -q", "test --list"],
    )
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        metavar="full|NAME",
        help="'full': the long variants; else only tests whose file or name contains NAME "
        "(unit, fuzz, model, tools, system, or any test's name)",
    )
    parser.add_argument("--list", action="store_true", help="only list the tests")
    parser.add_argument("pytest", nargs="*", metavar="-- OPTION", help="handed to pytest")


def run(args: argparse.Namespace) -> int:
    words = [sys.executable, "-m", "pytest", "-c", str(paths.ROOT / "tests" / "pytest.ini"), f"--rootdir={paths.ROOT}"]
    if args.what == "full":
        words.append("--full")
    elif args.what and (paths.ROOT / "tests" / args.what).exists() and args.what != "unit":
        words.append(str(paths.ROOT / "tests" / args.what))
    elif args.what:
        words += ["-k", args.what]
    if args.list:
        words += ["--collect-only", "-q"]
    if not args.what or args.what == "full" or "-k" in words:
        words.append(str(paths.ROOT / "tests"))
    os.environ.setdefault("AMALGAM_TIMEOUT_SCALE", PATIENCE)
    os.chdir(paths.ROOT)
    sys.stdout.flush()
    os.execv(sys.executable, [*words, *args.pytest])
