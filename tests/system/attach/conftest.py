# SPDX-License-Identifier: MIT
"""Stock Debian on the bare board for tests of the attach shape: one board runs at a time, a module's tests share it.

def test_something(host):            # a fixture of the module: with boot_linux(cores=4) as board: yield Host(board)
    host.ok("amalgam load")
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.attach.build import build_initrd
from amalgam.attach.machine import LinuxMachine, linux_machine
from linuxhost import Host

LOGS = paths.BUILD / "test-logs" / "attach"


@pytest.fixture(scope="session")
def linux_on_the_board() -> LinuxMachine:
    """Kernel, module, command and initrd, up to date."""
    return linux_machine(build_initrd(lambda _text: None), lambda _text: None)


@pytest.fixture(scope="module")
def boot_linux(linux_on_the_board: LinuxMachine, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Start it; `fields` are those of LinuxMachine, `files` are added to its initrd."""

    @contextmanager
    def boot(files: dict[str, Path] | None = None, **fields: Any) -> Iterator[Host]:
        if files:
            fields["initrd"] = build_initrd(lambda _text: None, files, Path(request.node.name).stem)
        machine = LinuxMachine(**(vars(linux_on_the_board) | fields))
        logs = LOGS / Path(request.node.name).stem
        with (paths.BUILD / "board.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # boards at the same time crawl on a small machine
            with machine.board(logs) as board:
                yield Host(board)

    return boot
