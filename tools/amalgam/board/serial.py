# SPDX-License-Identifier: MIT
"""A machine with one serial line and nothing of ours beneath it: what it says is one console."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.board.lifetime import end, spawn, worth_showing
from amalgam.board.line import Line

Launch = Callable[[Path], list[str]]  # (folder for files of its own) -> the emulator's words without the serial line


class SerialBoard:
    """What it says is on `console`; gone after `with`."""

    LINE = Line

    def __init__(self, name: str, launch: Launch, keep: Path | None = None):
        self._launch, self._keep = launch, keep  # `keep`: where to leave the logs, for people
        self._folder = tempfile.TemporaryDirectory(prefix="amalgam-")
        self._errors = Path(self._folder.name) / "stderr.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None
        self._closed = threading.Event()
        self.console = Console(name, self._write, self.ended)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # a board that just ended: expect() will say so
            if self._line:
                self._line.send(data)

    def __enter__(self) -> Self:
        self._line = self.LINE(Path(self._folder.name), "uart")
        words = self._words(Path(self._folder.name), self._line)
        with self._errors.open("wb") as errors:
            self._process = spawn(words, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def _words(self, folder: Path, line: Line) -> list[str]:
        """The emulator's words with the serial line."""
        return [*self._launch(folder), *line.chardev("uart"), "-serial", "chardev:uart"]

    def __exit__(self, *_exception: object) -> None:
        if self._process:
            end(self._process)
        self._closed.wait(5)
        if self._line:
            self._line.close()
        self.save()
        self._folder.cleanup()

    def _read(self) -> None:
        assert self._line and self._process
        with contextlib.suppress(OSError):
            for data in self._line.pieces(self._process):
                self.console.receive(data)
        self._closed.set()
        self.console.receive(b"")

    def save(self) -> None:
        """Leave the logs as they are by now."""
        if self._keep:
            self._keep.mkdir(parents=True, exist_ok=True)
            (self._keep / f"{self.console.name}.log").write_text(self.console.text, encoding="utf-8")
            if self._errors.exists():
                (self._keep / "stderr.log").write_text(self._said())

    def _said(self) -> str:
        """What the emulator itself said."""
        lines = self._errors.read_text(errors="replace").splitlines() if self._errors.exists() else []
        return "\n".join(line for line in lines if worth_showing(line)).strip()

    def ended(self) -> str:
        """Empty while it runs, or has said things that are not read yet."""
        if not self._process or not self._closed.is_set():
            return "" if self._process else "the board was never started"
        status = self._process.poll()
        said = self._said()
        return "" if status is None else f"the board has ended (status {status})" + (f": {said[-600:]}" if said else "")

    def wait(self, timeout: float = 60) -> int:
        """Wait until the board has ended by itself; its status."""
        assert self._process
        if not self._closed.wait(timeout * SCALE):
            raise ConsoleError(f"the board still runs after {timeout * SCALE:.0f} s. It said last:\n{self.console.tail()}")
        return self._process.wait(60 * SCALE)  # it has closed its line; a busy machine takes its time over the rest
