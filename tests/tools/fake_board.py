# SPDX-License-Identifier: MIT
"""A board for tests of the host side: speaks the tagged channel on the pipes ARGUMENT.in and ARGUMENT.out.

Domain 0 'linux' is a real /bin/sh behind a terminal that echoes, as a guest's shell is; domain 1 'rt' talks in between,
one byte at a time; the kernel answers 'list' and ends the board at 'off'."""

from __future__ import annotations

import os
import pty
import select
import sys
import termios
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from amalgam.board.tagged import KERNEL, Splitter, framed  # noqa: E402


def start_shell() -> int:
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PS1="/ # ", ENV="", HISTFILE="")
        os.execv("/bin/sh", ["sh", "-i"])
    attributes = termios.tcgetattr(terminal)
    attributes[3] |= termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    return terminal


def main() -> int:
    line, out = os.open(f"{sys.argv[1]}.in", os.O_RDONLY), os.open(f"{sys.argv[1]}.out", os.O_WRONLY)

    def say(source: int, text: bytes) -> None:
        os.write(out, framed(source, text))

    say(KERNEL, b"amalgam: fake board\n")
    say(1, b"rt: \xff\x00 jitter\n")
    shell, splitter = start_shell(), Splitter()
    while True:
        ready, _, _ = select.select([line, shell], [], [], 0.2)
        if shell in ready:
            try:
                say(0, os.read(shell, 4096))
            except OSError:
                say(KERNEL, b"linux: ended: power-off\n")
                return 0
        for byte in b"tick\n" if not ready else b"":
            say(1, bytes([byte]))
        if line in ready:
            data = os.read(line, 4096)
            if not data:
                return 0
            for source, run in splitter.feed(data):
                if source == 0:
                    os.write(shell, run)
                elif source == KERNEL and b"list" in run:
                    say(KERNEL, b"0 linux running\n1 rt running\n")
                elif source == KERNEL and b"off" in run:
                    say(KERNEL, b"amalgam: power off\n")
                    return 0


sys.exit(main())
