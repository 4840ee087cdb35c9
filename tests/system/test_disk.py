# SPDX-License-Identifier: MIT
"""A program with files on a disk that it drives (docs/files.md): they are there at the next boot, and whole, whenever it was stopped."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.artifacts import littlefs
from amalgam.artifacts.error import NotFetchedError
from amalgam.board.monitor import await_monitor, command
from support import said

KILLS = 5
SEED = 34
BOOTS = {"kind": "process", "program": "build:disk-boots.elf", "memory": "512K", "devices": ["virtio-blk-0"], "restart": ["fault"]}


def system(*words: str, **more: Any) -> dict[str, Any]:
    try:
        littlefs.source(paths.CACHE, lambda _text: None)
    except NotFetchedError as error:
        pytest.skip(str(error))
    return {"system": "disk", "board": "virt", "memory": "128M", "domains": {"boots": BOOTS | {"arguments": ["boots", *words]} | more}}


def test_files_on_a_disk_are_there_at_the_next_boot_whenever_it_was_stopped(boot: Any, tmp_path: Path) -> None:
    """A program that writes all the time is killed at random moments, then with its board; the last boot finds the number of the last file."""
    dice, disks = random.Random(SEED), [tmp_path / "disk.img"]
    with boot(system("0"), disks=disks) as running:
        await_monitor(running)
        said(running, "boots", "boots: a new file system")
        for started in range(1, KILLS + 1):
            said(running, "boots", rf"boots: {started}, number \d+")
            time.sleep(0.3 + dice.random())
            command(running, "restart boots")
        last = int(said(running, "boots", rf"boots: {KILLS + 1}, number (\d+)")[1])
        assert last > 0
    with boot(system("1", power="board"), disks=disks) as running:
        found = said(running, "boots", rf"boots: {KILLS + 2}, number (\d+)")
        assert int(found[1]) >= last
        said(running, "kernel", "domain boots: done: exit status 0")
