# SPDX-License-Identifier: MIT
"""The control console over the tagged channel: one command, its answer up to `ok` or `error: ...`."""

from __future__ import annotations

import re
import secrets

from amalgam.board.console import ConsoleError
from amalgam.board.speakers import Speakers
from amalgam.errors import UserError

ANSWER_ENDS = r"^(ok|error: .*)\r*\n"
HEALTH = r"\s*\d+ (?P<name>\S+) +(?P<health>\w+) +watchdog (?P<watchdog_ms>\d+) ms, (?P<left_ms>\d+) ms left"
READY = r"."  # the kernel says something as soon as its console is up


def command(board: Speakers, line: str, timeout: float = 60) -> str:
    """Type a command; its answer without the closing `ok`. An `error:` line is a UserError."""
    console = board.kernel
    start = len(console.text)
    console.seek(start)
    console.send(line + "\n")
    try:
        end = console.expect(ANSWER_ENDS, timeout)
    except ConsoleError:
        if line.strip() == "quit" and console.ended():
            return ""
        raise
    if end[1] != "ok":
        raise UserError(f"the control console refused '{line}': {end[1].removeprefix('error: ').rstrip()}", "`help` lists its commands")
    return console.text[start : end.start()].replace("\r", "")


def await_monitor(board: Speakers, timeout: float = 120) -> None:
    """Wait until the control console answers, and has answered everything: the next answer is the next command's."""
    board.kernel.expect(READY, timeout)
    for attempt in range(10):
        try:
            if attempt:
                catch_up(board, timeout / 10)
            else:
                command(board, "help", timeout / 10)
            return
        except ConsoleError:
            if board.kernel.ended() or attempt == 9:
                raise


def catch_up(board: Speakers, timeout: float) -> None:
    """An answer that came too late would pass for that of the next command: ask what nobody has asked before."""
    word = f"answer-{secrets.token_hex(4)}"
    board.kernel.send(f"{word}\n")
    board.kernel.expect(rf'^error: no command "[^"\n]*{word}".*\n', timeout)


def rows(text: str, pattern: str) -> list[dict[str, str]]:
    """The lines of an answer that match, by group name."""
    return [match.groupdict() for line in text.splitlines() if (match := re.match(pattern, line))]


def health(answer: str) -> list[dict[str, str | int]]:
    """What `health` says of each domain, the times in milliseconds; no watchdog: 0."""
    return [{key: int(value) if key.endswith("_ms") else value for key, value in row.items()} for row in rows(answer, HEALTH)]
