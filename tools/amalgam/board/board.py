# SPDX-License-Identifier: MIT
"""A running board for programs: the human port goes to a log, the tagged channel becomes one console a speaker.

with Board(machine, ["linux", "rt"]) as board:
    board["linux"].expect(r"# $")
    board["linux"].send("ls\\n")
    board.kernel.expect("rt: .* ended")
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from amalgam.board import ending
from amalgam.board.console import SCALE, ConsoleError
from amalgam.board.lifetime import end, spawn, worth_showing
from amalgam.board.line import Line
from amalgam.board.machine import Machine
from amalgam.board.speakers import Speakers
from amalgam.board.tagged import Splitter
from amalgam.errors import UserError

Launch = Callable[[Path, Path], list[str]]  # (pipes PATH.in and PATH.out of the tagged channel, log of the human port) -> command


class Board(Speakers):
    """Starts at `with`, is gone after it."""

    LINE = Line  # what the tagged channel is

    def __init__(self, machine: Machine | Launch, domains: Sequence[str], keep: Path | None = None):
        self._machine = machine if isinstance(machine, Machine) else None
        self._custom = None if isinstance(machine, Machine) else machine
        self._keep = keep  # where to leave the logs, for people
        self._folder = tempfile.TemporaryDirectory(prefix="amalgam-")
        self.log = Path(self._folder.name) / "com1.log"
        self._errors = Path(self._folder.name) / "stderr.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Line | None = None
        self._reader: threading.Thread | None = None
        self._closed = threading.Event()
        super().__init__(domains)

    def line_of(self, _source: int) -> Line | None:
        return self._channel

    def failure(self, names: Iterable[str]) -> UserError | None:
        return ending.failure(self.kernel.text, names)

    def __enter__(self) -> Self:
        self._channel = self.LINE(Path(self._folder.name), "com2")
        with self._errors.open("wb") as errors:
            passed = self._machine.passed() if self._machine else ()
            words = self._words(self._channel)
            self._process = spawn(words, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True, pass_fds=passed)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _words(self, channel: Line) -> list[str]:
        """The command that is the board, with its tagged channel on `channel`."""
        if self._custom:
            return self._custom(channel.path, self.log)
        assert self._machine
        human = ["-chardev", f"file,id=com1,path={self.log}", "-serial", "chardev:com1"]
        tagged = [*channel.chardev("com2"), "-serial", "chardev:com2"]
        return [*self._machine.command(), "-monitor", "none", *self._machine.channels(human, tagged)]

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if self._process:
                end(self._process)
            if self._reader:
                self._reader.join(5)
            if self._channel:
                self._channel.close()
        finally:
            self.save()
            self._folder.cleanup()

    def _read(self) -> None:
        splitter = Splitter()
        channel, process, machine = self._channel, self._process, self._machine
        assert channel and process
        with contextlib.suppress(OSError):
            for data in channel.pieces(process, (lambda: machine.remind(process)) if machine else None):
                for source, run in splitter.feed(data):
                    if source in self.consoles:
                        self.consoles[source].receive(run)
        self._closed.set()
        for console in self.consoles.values():
            console.receive(b"")

    def save(self) -> None:
        """Leave the logs as they are by now."""
        if not self._keep:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        for console in self.consoles.values():
            (self._keep / f"{console.name}.log").write_text(console.text, encoding="utf-8")
        for path in (self.log, self._errors):
            if path.exists():
                (self._keep / path.name).write_bytes(path.read_bytes())

    def ended(self) -> str:
        """Empty while the board runs (or has said things that are not read yet), else how it ended."""
        if not self._process or not self._closed.is_set():
            return "" if self._process else "the board was never started"
        status = self._process.poll()
        if status is None:
            return ""
        how = f"status {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"
        lines = self._errors.read_text(errors="replace").splitlines() if self._errors.exists() else []
        said = "\n".join(line for line in lines if worth_showing(line)).strip()
        return f"the board has ended ({how})" + (f": {said[-600:]}" if said else "")

    def wait(self, timeout: float = 60) -> int:
        """Wait until the board powers itself off; its status."""
        assert self._process
        deadline = time.monotonic() + timeout * SCALE
        try:
            status = self._process.wait(timeout * SCALE)
            self._closed.wait(max(1.0, deadline - time.monotonic()))
            return status
        except subprocess.TimeoutExpired as error:
            raise self.still_runs(timeout) from error

    def still_runs(self, timeout: float) -> ConsoleError:
        """What a wait of that time that was in vain ends with."""
        return ConsoleError(f"the board still runs after {timeout * SCALE:.0f} s. The kernel said last:\n{self.kernel.tail()}")

    def pause(self) -> None:
        """Stop the whole board (it does not notice)."""
        assert self._process
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process
        os.kill(self._process.pid, signal.SIGCONT)
