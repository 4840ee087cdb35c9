# SPDX-License-Identifier: MIT
"""A serial line as a pair of named pipes.

A board's UART that is not taken from loses bytes, as on any line. A pipe holds 64 KiB of single bytes, and more if it is told to; a
socket only some hundred, since each waits with a buffer of its own, and a busy host lets the reader wait for longer than that.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

HOLDS = 1 << 20  # bytes; Linux gives anybody that much: seconds of what a board says at most, a minute of what it says usually
POLL_MS = 200  # how soon it is seen that the process ended before it opened the line


class Line:
    def __init__(self, folder: Path, name: str, holds: int = HOLDS):
        self.path = folder / name
        ends = [Path(f"{self.path}.{way}") for way in ("in", "out")]
        for end in ends:
            os.mkfifo(end, 0o600)
        self._in = os.open(ends[0], os.O_RDWR | os.O_NONBLOCK)  # both ways: opening does not wait for the other end
        self._out = os.open(ends[1], os.O_RDONLY | os.O_NONBLOCK)
        with contextlib.suppress(OSError):  # where an administrator allows less it stays as it is
            fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, holds)

    def chardev(self, name: str) -> list[str]:
        """Words for QEMU: this line as the character device `name`."""
        return ["-chardev", f"pipe,id={name},path={self.path}"]

    def send(self, data: bytes) -> None:
        """Type; waits while the board does not take what was typed before."""
        while data:
            select.select([], [self._in], [])
            data = data[os.write(self._in, data) :]

    def pieces(self, process: subprocess.Popen[bytes], silent: Callable[[], None] | None = None) -> Iterator[bytes]:
        """What comes, in pieces of any size, until the process has closed the line. `silent` is called each POLL_MS in which nothing
        comes, from the first piece on."""
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        spoke = False
        while True:
            ended = process.poll() is not None  # asked first: what it said before it ended is in the pipe then
            if not poll.poll(POLL_MS):
                if ended:
                    return
                if spoke and silent:
                    silent()
                continue
            spoke = True
            data = os.read(self._out, 65536)
            if not data:
                return
            yield data

    def close(self) -> None:
        os.close(self._in)
        os.close(self._out)
