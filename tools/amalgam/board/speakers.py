# SPDX-License-Identifier: MIT
"""A board's consoles by the name of who speaks: what all boards with tagged lines have in common."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Self

from amalgam.board.console import Console, ConsoleError
from amalgam.board.line import Line
from amalgam.board.tagged import KERNEL, framed
from amalgam.errors import UserError


class Speakers(ABC):
    """Numbered as in `names`, and the kernel."""

    def __init__(self, names: Sequence[str]):
        self.names = list(names)
        self._send_lock = threading.Lock()
        self.consoles = {i: Console(name, self._writer(i), self.ended) for i, name in [*enumerate(names), (KERNEL, "kernel")]}

    @abstractmethod
    def __enter__(self) -> Self:
        """Start the board."""

    @abstractmethod
    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """End it."""

    @abstractmethod
    def line_of(self, source: int) -> Line | None:
        """The line at which a speaker listens; None while the board does not run."""

    @abstractmethod
    def ended(self) -> str:
        """Empty while the board runs (or has said things that are not read yet), else how it ended."""

    def failure(self, _names: Iterable[str]) -> UserError | None:
        """What the end of the first of these domains that did not end well has to be reported as, where the board tells."""
        return None

    def _writer(self, source: int) -> Callable[[bytes], None]:
        def write(data: bytes) -> None:
            line = self.line_of(source)
            if not line:
                raise ConsoleError("the board does not run")
            with self._send_lock, contextlib.suppress(OSError):  # a board that just ended: expect() will say so
                line.send(framed(source, data))

        return write

    @property
    def kernel(self) -> Console:
        """What the kernel says, and its monitor where it has one; of several emulators in whole lines."""
        return self.consoles[KERNEL]

    def __getitem__(self, name: str) -> Console:
        return self.kernel if name == "kernel" else self.consoles[self.names.index(name)]
