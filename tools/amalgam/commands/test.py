# SPDX-License-Identifier: MIT
"""`test`: the whole test suite, or a part, by pytest."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from amalgam import paths
from amalgam.cli import describe
from amalgam.errors import UserError

PYTEST = (sys.executable, "-m", "pytest", "-c", str(paths.ROOT / "tests" / "pytest.ini"), f"--rootdir={paths.ROOT}")
WORKERS = 2  # what boards that run alone leave idle is used; more would wait for a board
SLOWEST = 20  # tests that are named at the end
PATIENCE = "3"  # times what a user waits: a machine that judges has other work, and only what fails takes longer


def add(commands: argparse._SubParsersAction) -> None:
    parser = describe(
        commands,
        "test",
        "run the tests",
        "Unit tests, short fuzz runs, model checks, tests of the tools, and systems on the board. The last lines are pytest's summary.",
        [
            "test",
            "test full",
            "test unit",
            "test fuzz_elf",
            "test system -- -x -q",
            "test --list",
            "test posix --suite libc-test",
            "test --qemu10 manycore",
        ],
    )
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        metavar="full|NAME",
        help="'full': the long variants; else only tests whose file or name contains NAME "
        "(unit, fuzz, model, tools, system, or any test's name)",
    )
    parser.add_argument(
        "--suite",
        metavar="DIR",
        help="with 'posix': compile and run a public suite of C programs, libc-test or the Open POSIX Test Suite, that is unpacked in DIR",
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="with --suite: only cases whose path contains TEXT")
    parser.add_argument("--list", action="store_true", help="only list the tests")
    parser.add_argument(
        "--qemu10",
        action="store_true",
        help="system tests on QEMU 10, a module at a time; NAME is in a module's path. Results are kept in build/qemu10.json: "
        "the next run goes on behind what has passed",
    )
    parser.add_argument("pytest", nargs="*", metavar="-- OPTION", help="handed to pytest")


def shared() -> list[str]:
    """The options that share the tests among workers; none on a machine of one processor, or where what is needed could not be installed."""
    workers = min(WORKERS, len(os.sched_getaffinity(0)))
    return [f"--numprocesses={workers}"] if workers > 1 and importlib.util.find_spec("xdist") else []


def posix(folder: str, only: str) -> int:
    """Run a public suite; the last lines are its table."""
    from amalgam.build.posix import FAILS, run_suite

    report = run_suite(Path(folder).resolve(), only, print)
    print(report.reasons(), report.table(), sep="\n")
    return 1 if report.count(FAILS) else 0


def run(args: argparse.Namespace) -> int:
    if args.suite and args.what == "posix":
        return posix(args.suite, args.only)
    if args.suite or args.only:
        raise UserError("--suite DIR goes with 'posix', and --only with both", "./amalgam test posix --suite DIR", 2)
    if args.what.startswith("-"):  # what stands behind --, with no name before it
        args.what, args.pytest = "", [args.what, *args.pytest]
    return qemu10(args) if args.qemu10 else suite_of_the_tree(args)


def qemu10(args: argparse.Namespace) -> int:
    """Modules on another version; who is told to end says so to what it has started."""
    from amalgam.artifacts import qemu10 as other
    from amalgam.build import modules

    if other.is_machines_own():
        raise UserError("this machine's own emulator is QEMU 10", "./amalgam test", 2)
    if args.list:
        print(*modules.of(modules.SYSTEM, args.what), sep="\n")
        return 0
    os.environ.setdefault("AMALGAM_TIMEOUT_SCALE", PATIENCE)
    return modules.run(PYTEST, args.what, args.pytest, other.VERSION, lambda text: print(text, flush=True))


def suite_of_the_tree(args: argparse.Namespace) -> int:
    words = [*PYTEST]
    if args.what == "full":
        words.append("--full")
    elif args.what and " " not in args.what and (paths.ROOT / "tests" / args.what).exists() and args.what != "unit":
        words.append(str(paths.ROOT / "tests" / args.what))
    elif args.what:
        words += ["-k", args.what]
    elif not args.list:
        words += [f"--durations={SLOWEST}", *shared()]
    if args.list:
        words += ["--collect-only", "-q"]
    if not args.what or args.what == "full" or "-k" in words:
        words.append(str(paths.ROOT / "tests"))
    os.environ.setdefault("AMALGAM_TIMEOUT_SCALE", PATIENCE)
    os.chdir(paths.ROOT)
    sys.stdout.flush()
    os.execv(sys.executable, [*words, *args.pytest])
