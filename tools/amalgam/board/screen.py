# SPDX-License-Identifier: MIT
"""One terminal for all guests of a fleet, or all clusters of a manycore board: the focused one has the keyboard and is shown as it
is, the others' and the kernel's lines stand in between, with their names. Ctrl-] and a digit changes the focus, Ctrl-A x leaves."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from typing import Any

from amalgam.board.board import Board
from amalgam.board.echo import CONTROLS
from amalgam.board.fleet import FleetBoard
from amalgam.ui import say

ESCAPE, SWITCH = b"\x01", b"\x1d"  # Ctrl-A, Ctrl-]
HELP = "Ctrl-A x leaves; Ctrl-] and a digit moves the keyboard: "


def focus_of(system: Any) -> int:
    """The number of the domain that has the keyboard at the start."""
    return next((i for i, d in enumerate(system.domains) if type(d.flags)["FOCUS"] in d.flags), 0)


class Screen:
    """What is shown, and who has the keyboard."""

    def __init__(self, board: FleetBoard | Board, focus: int, out: int):
        self.board = board
        self.focus = focus
        self.out = out
        self.line = ""  # what the focused guest has written since its last newline
        self.rest: dict[str, str] = {}
        self.lock = threading.Lock()
        for name in [*board.names, "kernel"]:
            board[name].listen(self.listener(name))

    def listener(self, name: str):
        return lambda text: self.hear(name, text)

    def hear(self, name: str, text: str) -> None:
        with self.lock:
            if name == self.board.names[self.focus]:
                self.line = (self.line + text).rsplit("\n", 1)[-1]
                self.write(text)
                return
            *lines, self.rest[name] = (self.rest.get(name, "") + text).split("\n")
            for line in lines:
                self.between(f"[{name}] " + CONTROLS.sub("", line))

    def between(self, line: str) -> None:
        """A line of somebody else: above what the focused guest has begun to write."""
        self.write(("\r\x1b[K" if self.line else "") + line + "\r\n" + self.line.replace("\r", ""))

    def write(self, text: str) -> None:
        data = text.replace("\r\n", "\n").replace("\n", "\r\n").encode()
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self.out, data) :]

    def switch(self, to: int) -> None:
        if to >= len(self.board.names):
            return
        with self.lock:
            self.focus, self.line = to, ""
            self.between(f"-- the keyboard belongs to {self.board.names[to]}")

    def keys(self) -> str:
        return ", ".join(f"{i} {name}" for i, name in enumerate(self.board.names[:10]))


@contextlib.contextmanager
def raw(terminal: int) -> Iterator[None]:
    """Every key goes to the guest; the terminal is as before in the end."""
    if not os.isatty(terminal):
        yield
        return
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def interactive(board: FleetBoard | Board, focus: int) -> int:
    """Until Ctrl-A x, the end of the input, or the end of the board; its status."""
    terminal = sys.stdin.fileno()
    screen = Screen(board, focus, sys.stdout.fileno())
    if os.isatty(terminal):
        say(HELP + screen.keys())
    with raw(terminal):
        command, watched = b"", [terminal]
        while not board.ended():
            if not select.select(watched, [], [], 0.1)[0]:
                continue
            typed = os.read(terminal, 256)
            if not typed:
                watched = []  # no more input; the board may go on
            for key in (bytes([byte]) for byte in typed):
                if command == ESCAPE and key in b"xX":
                    return 0
                if command == SWITCH and key.isdigit():
                    screen.switch(int(key))
                    command = b""
                elif not command and key in (ESCAPE, SWITCH):
                    command = key
                else:
                    board.consoles[screen.focus].send(key.decode("latin-1"))
                    command = b""
    return board.wait(5)
