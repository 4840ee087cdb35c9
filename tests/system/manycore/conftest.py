# SPDX-License-Identifier: MIT
"""Systems of the manycore shape for tests, by the instruction counter: they run beside others, and every run is the same.

def test_something(clusters):
    board = clusters({"system": "x", "board": "manycore", "kernel": "build:up.elf", "clusters": {...}})   # started, ended, and read
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.machine import machine_for
from amalgam.system.compile import compile_system
from last_words import logs_of
from manycores import Start
from second import on
from turns import turn

OWN = paths.BUILD / "test-systems" / os.environ.get("PYTEST_XDIST_WORKER", "alone")  # another worker's system may have the same name


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """A context manager: the started board of a system; `extra`: more words for the emulator; `icount`: by the instruction counter; `emulator`: another one than
    QEMU (second.py); `network`, `disks`: of its cards (support.Ports), and the files of its disks."""

    @contextmanager
    def start(
        system: dict[str, Any],
        extra: list[str] | None = None,
        icount: bool = True,
        emulator: str = "",
        network: str | Callable[[], str] = "",
        disks: list[Path] | None = None,
    ) -> Iterator[Board]:
        text = yaml.safe_dump(system, sort_keys=False)
        path = tmp_path / f"{system['system']}-{zlib.crc32(text.encode()):x}.yaml"
        path.write_text(text, encoding="utf-8")
        made, image = compile_system(path, lambda _text: None, OWN / f"{path.stem}.img")
        machine = on(machine_for(made, image), emulator)
        machine.icount, machine.extra = icount, extra or []
        machine.disks = disks or machine.disks
        with turn(shared=icount):
            machine.network = network if isinstance(network, str) else network()
            with machine.board(keep=logs_of(request.node)) as board:
                yield board

    return start


@pytest.fixture
def clusters(running: Callable[..., Any]) -> Start:
    """Run a system until it powers itself off; its consoles are whole then."""

    def run(system: dict[str, Any], timeout: float = 60, status: int = 0, extra: list[str] | None = None, emulator: str = "") -> Board:
        with running(system, extra, emulator=emulator) as board:
            assert board.wait(timeout) == status, board.kernel.tail()
        return board

    return run
