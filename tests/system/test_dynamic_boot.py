# SPDX-License-Identifier: MIT
"""What boot started goes like what came later (test_dynamic.py); and Linux comes and goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell, run_command
from amalgam.build.kernel import build_kernel
from amalgam.system.units import MIB
from support import after, copies, free, said, says


@pytest.fixture(scope="module")
def dynamic() -> Path:
    return build_kernel("dynamic", lambda _text: None)


def test_a_guest_that_ends_the_board_does_not_when_it_is_destroyed(boot: Any, images: Any, dynamic: Path, tmp_path: Path) -> None:
    """The system that boot started goes like any other; its neighbour's end is then no reason to switch off."""
    guest = {"boot": "pvh", "kernel": "build:hello.elf", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}], "power": "board"}
    system = {
        "system": "ends",
        "board": "q35",
        "cores": 1,
        "memory": "512M",
        "domains": {"stay": guest | {"cmdline": "end=stay"}, "off": guest | {"cmdline": "end=off"}},
    }
    _, image = images.get(system)
    extra, addresses = copies(image, tmp_path, 1)
    with boot(system, kernel=dynamic, extra=extra) as board:
        await_monitor(board)
        said(board, "kernel", "domain off: power-off")
        command(board, "destroy")
        before = free(board)
        after(board, f"create {addresses[0]}", "kernel", "domain off: power-off")
        command(board, "destroy")
        assert free(board) == before


@pytest.mark.full
def test_linux_comes_and_goes(boot: Any, images: Any, dynamic: Path, tmp_path: Path) -> None:
    """With a disk in the image, a network card and two cores."""
    _, image = images.get("debian")
    extra, addresses = copies(image, tmp_path, 2, 1536 * MIB)
    with boot("debian", kernel=dynamic, image=None, extra=extra) as board:
        await_monitor(board)
        before = free(board)
        for address in addresses:
            command(board, f"create {address}")
            await_shell(board["linux"], 500)
            assert run_command(board["linux"], "uname -s", 60) == ("Linux\n", 0)
            says(board, "rt", "rt: ")
            command(board, "destroy")
            assert free(board) == before
