# SPDX-License-Identifier: MIT
"""Where the logs of a test's boards are, and what of them the report of a failure shows: who has only the report sees why.

The kernel's console and what the emulator said itself have most of the room. What comes from a board is foreign text: no terminal obeys it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.board.echo import CONTROLS
from amalgam.board.lifetime import worth_showing
from amalgam.board.serial import SerialBoard
from amalgam.board.speakers import Speakers
from turns import Node

LOGS = paths.BUILD / "test-logs"
LINES, CHARACTERS = 40, 4000  # of the kernel, and of an emulator
BEGUN = time.time() - 1  # of this run; file systems round times
FEW, OTHERS = 6, 8  # lines of another console; of how many
EMULATOR, HUMAN = "stderr", "com1.log"  # what a file's name has that holds an emulator's words; the port for people, which repeats them


def logs_of(node: Node) -> Path:
    """The folder for the boards of a test, or of those that a module's tests share."""
    return LOGS / re.sub(r"[^\w.-]+", "_", node.nodeid.removeprefix("tests/system/")).strip("_")


def safe(text: str) -> str:
    """Without colours and carriage returns; what else a terminal would obey, or not show, is written as in a Python string."""
    text = CONTROLS.sub("", text)
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def last(text: str, lines: int = LINES) -> str:
    """The last lines that say something, in that many characters at most."""
    said = [line for line in safe(text[-2 * CHARACTERS :]).split("\n") if line.strip() and worth_showing(line)]
    return "\n".join(said[-lines:])[-CHARACTERS:]


def written(folder: Path, since: float = BEGUN) -> list[Path]:
    """The logs in a folder that are not from an earlier run."""
    files = (*folder.rglob("*.log"), *folder.rglob(f"*.{EMULATOR}"))
    return sorted(file for file in files if file.stat().st_mtime >= since)


def words(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Who says what at last, by the logs of a board: the kernel, the emulators, a few others."""

    def order(file: Path) -> tuple[int, Path]:
        return (0 if file.name == "kernel.log" else 1 if EMULATOR in file.name else 2), file

    others = 0
    silent = not any(file.name == "kernel.log" and file.stat().st_size for file in files)
    for file in sorted(files, key=order):
        if file.name == HUMAN and not silent:
            continue
        first = order(file)[0] < 2 or file.name == HUMAN
        others += not first
        said = last(file.read_text(encoding="utf-8", errors="replace"), LINES if first else FEW)
        if said and others <= OTHERS:
            yield file.stem if EMULATOR not in file.name else file.name, said


def save_running(item: pytest.Item) -> None:
    """A board that goes on, as a module's does, has its logs now."""
    for value in getattr(item, "funcargs", {}).values():
        board = getattr(value, "board", value)
        if isinstance(board, Speakers | SerialBoard):
            board.save()


def unwritten(item: pytest.Item) -> str:
    """Why logs of a running board could not be written now, or nothing: an error here would hide the failure that is reported."""
    try:
        save_running(item)
    except OSError as error:
        return f"logs of the running board could not be written: {error}"
    return ""


def sections(item: pytest.Item) -> Iterator[tuple[str, str]]:
    """Titles and texts for the report of a test that failed."""
    if why := unwritten(item):
        yield "logs of the board", why
    for folder in dict.fromkeys((logs_of(item), logs_of(item.parent) if item.parent else logs_of(item))):
        files = written(folder)
        if files:
            yield "logs of the board", "\n".join(str(file.relative_to(LOGS.parents[1])) for file in files)
        for who, said in words(files):
            yield f"{who} said last", said
