# SPDX-License-Identifier: MIT
"""One speaker's console, as a program uses it: everything it said, wait for a pattern, type."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable

from amalgam.board.places import Places
from amalgam.descendants import withheld
from amalgam.errors import UserError

SCALE = float(os.environ.get("AMALGAM_TIMEOUT_SCALE", "1"))  # a slow machine waits longer
LONG = 30.0  # seconds from which on a wait is a long one, which goes on while its console says something
OPEN_END = re.compile(r"(?<!\\)(?:\\\\)*[+*]\)*$")  # a pattern that could match more: half a number, if its rest is on the way


class ConsoleError(UserError):
    """The awaited text did not come; the message ends with what came last."""


class Console:
    """Text is kept whole; `expect` walks through it once, so each match begins after the one before."""

    def __init__(self, name: str, write: Callable[[bytes], None], alive: Callable[[], str]):
        self.name = name
        self._write = write
        self._alive = alive  # empty while the board runs, else how it ended
        self._text = ""
        self._at = 0
        self._said = time.monotonic()  # when something came last
        self._partial = b""
        self.places: Places | None = None  # names the addresses in what a kernel without names says
        self._news = threading.Condition()
        self._listeners: list[Callable[[str], None]] = []

    def receive(self, data: bytes) -> None:
        """New bytes of this speaker; called by the board's reader. Empty: look again, something else changed."""
        data = self._partial + data
        cut = len(data)
        while cut > max(0, len(data) - 3) and data[cut - 1] >= 0x80:  # keep a UTF-8 sequence cut in the middle
            cut -= 1
        try:
            data[cut:].decode()
            cut = len(data)
        except UnicodeDecodeError as error:
            cut = len(data) if error.reason != "unexpected end of data" else cut
        text, self._partial = data[:cut].decode(errors="replace"), data[cut:]
        text = self.places.feed(text) if self.places else text
        with self._news:
            self._text += text
            if text:
                self._said = time.monotonic()
            listeners = list(self._listeners)
            self._news.notify_all()
        for listener in listeners:
            listener(text)

    def listen(self, listener: Callable[[str], None]) -> None:
        """Have `listener` called with everything said so far, and then with everything new."""
        with self._news:
            if self._text:
                listener(self._text)
            self._listeners.append(listener)

    @property
    def text(self) -> str:
        """Everything said so far."""
        return self._text

    @property
    def position(self) -> int:
        """Where in `text` the next match may begin."""
        return self._at

    def seek(self, position: int) -> None:
        """Let the next match begin at `position` (of `text`)."""
        self._at = position

    def ended(self) -> str:
        """Empty while the board runs, else how it ended."""
        return self._alive()

    def lines(self) -> list[str]:
        """The same as lines, without carriage returns."""
        return self._text.replace("\r", "").splitlines()

    def send(self, text: str) -> None:
        """Type `text`; a line ends with \\n."""
        self._write(text.encode())

    def expect(self, pattern: str, timeout: float = 60, step: str = "") -> re.Match[str]:
        """Wait until `pattern` (regular expression, multi-line) matches what came after the last match, and cannot grow. Up to as long
        again, the time for which other processes kept the board from running does not count, and a long wait ends when nothing has come
        for half of it."""
        regex = re.compile(pattern, re.MULTILINE)
        grows = OPEN_END.search(pattern)
        begin = time.monotonic()
        patience = timeout * SCALE
        deadline = begin + patience
        before: float | None = None  # what was withheld when the wait turned out to be one
        with self._news:
            while True:
                match = regex.search(self._text, self._at)
                ended = self._alive()
                left = deadline - time.monotonic()
                if left <= 0 and before is not None and not (match or ended):
                    silent = self._said + patience / 2 if timeout >= LONG else deadline
                    left = min(max(deadline + withheld() - before, silent), deadline + patience) - time.monotonic()
                if match and (match.end() < len(self._text) or not grows or ended or left <= 0):
                    self._at = match.end()
                    return match
                if ended or left <= 0:
                    why = ended or f"nothing matched within {time.monotonic() - begin:.0f} s"
                    raise ConsoleError(
                        f"waiting for /{pattern}/ on the console of '{self.name}': {why}. It said last:\n{self.tail()}", step
                    )
                self._news.wait(min(left, 1.0, patience / 2))
                if before is None and time.monotonic() - begin >= min(1.0, patience / 2):
                    before = withheld()

    def tail(self, count: int = 15) -> str:
        """The last lines, indented, for messages."""
        return "\n".join("    | " + line for line in self.lines()[-count:]) or "    (nothing)"
