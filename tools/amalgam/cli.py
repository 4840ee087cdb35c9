# SPDX-License-Identifier: MIT
"""The command line: one module a command, errors in one form, one exit status each."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from amalgam import descendants, paths
from amalgam.errors import UserError, explained, visible

COMMANDS = (
    "setup",
    "doctor",
    "build",
    "cc",
    "run",
    "check",
    "test",
    "bench",
    "trace",
    "monitor",
    "size",
    "wcet",
    "caches",
    "iso",
    "previrt",
    "scc",
)

STATUS = """exit status: 0 done; 1 it failed, the message says the next step; 2 wrong usage; 130 interrupted.
`run` ends with 0 when its guests powered off, with 1 when one could not be started, with 3 when one died (triple fault, refused entry,
fault, watchdog), with a process's own status when that was not 0; `run --exec` with the status of the command it ran; `cc` with gcc's."""

EXAMPLES = """first steps:
  ./amalgam setup               install the packages that everything below needs
  ./amalgam run debian          a Debian guest and a real-time partition; Ctrl-A x leaves
  ./amalgam run debian --exec linux:'uname -a'
  ./amalgam test                what `make test` does
"""


def parser() -> argparse.ArgumentParser:
    """The whole command line; each command's module describes its own part."""
    top = argparse.ArgumentParser(
        prog="amalgam",
        description="Build, run, test and measure Amalgam systems.",
        epilog=EXAMPLES + "\n" + STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"amalgam.commands.{name}").add(commands)
    return top


def describe(commands: argparse._SubParsersAction, name: str, brief: str, text: str, examples: Sequence[str]) -> argparse.ArgumentParser:
    """A command's parser with its description and examples."""
    epilog = "examples:\n" + "\n".join(f"  ./amalgam {line}" for line in examples)
    return commands.add_parser(name, help=brief, description=text, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter)


_left: list[descendants.Process] = []  # what ran when we were told to end


def on_terminate(_number: int, _frame: FrameType | None) -> None:
    """Leave by the way that cleans up: a board that we started must not survive us, nor a compiler. Once: nothing interrupts that."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _left.extend(descendants.descendants())
    raise SystemExit(143)


STARTS_BOARDS = ("run", "monitor", "trace", "test", "bench", "caches", "scc")


def check_place(command: str) -> None:
    """Make splits the checkout's own path at spaces. `doctor` and `setup` say so, too, and go on."""
    if command not in ("doctor", "setup", "check") and any(c.isspace() for c in str(paths.ROOT)):
        raise UserError(f"the checkout's path has a space: '{paths.ROOT}'", "move it to a path without one")


def choose_emulator(command: str) -> None:
    """By AMALGAM_QEMU, for commands that start boards: others fetch no emulator."""
    if os.environ.get("AMALGAM_QEMU") and command in STARTS_BOARDS:
        from amalgam import artifacts

        artifacts.choose_emulator()


def main(argv: Sequence[str]) -> int:
    """Run one command; returns the exit status."""
    signal.signal(signal.SIGTERM, on_terminate)
    signal.signal(signal.SIGHUP, on_terminate)
    args = parser().parse_args(argv)
    try:
        return perform(args)
    except UserError as error:
        if getattr(args, "json", False):  # who reads JSON gets JSON
            print(json.dumps({"ok": False, "error": error.what, "next": error.step}))
            return error.status
        print(visible(f"amalgam: error: {error.what}" if "\n" not in error.what else error.what), file=sys.stderr)
        if error.step:
            print(visible(f"  next: {error.step}"), file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("amalgam: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # who read our output has seen enough
        return 141
    finally:
        descendants.end(_left)


def perform(args: argparse.Namespace) -> int:
    """Run the command of these arguments."""
    try:
        check_place(args.command)
        choose_emulator(args.command)
        return int(importlib.import_module(f"amalgam.commands.{args.command}").run(args) or 0)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise explained(error) from error
