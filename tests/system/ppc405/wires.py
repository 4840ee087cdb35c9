# SPDX-License-Identifier: MIT
"""Wires to a core's interrupt controller: a test drives its inputs as a device would, by the emulator's test protocol."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from amalgam.board.console import SCALE

CONTROLLER = "/machine/soc/uic"


class Wires:
    """`options` go to the emulator; then, while it runs, `with wires:` and `wires.set(25, True)`."""

    def __init__(self, folder: Path):
        self._path = folder / "wires"
        self._socket = socket.socket(socket.AF_UNIX)

    @property
    def options(self) -> list[str]:
        return ["-accel", "tcg", "-qtest", f"unix:{self._path},server=on,wait=off", "-qtest-log", "none"]

    def __enter__(self) -> Self:
        for attempt in range(1000):
            try:
                self._socket.connect(str(self._path))
                break
            except OSError:
                if attempt == 999:
                    raise
                time.sleep(0.1)
        self._socket.settimeout(60 * SCALE)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._socket.close()

    def set(self, line: int, level: bool) -> None:
        self._socket.sendall(f"set_irq_in {CONTROLLER} unnamed-gpio-in {line} {int(level)}\n".encode())
        answer = self._socket.recv(100)
        assert answer == b"OK\n", answer
