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
from support import ended, said

KILLS = 5
QUESTIONS = 3000
DAMAGES = 3
SEED = 34
BOOTS = {"kind": "process", "program": "build:disk-boots.elf", "memory": "512K", "devices": ["virtio-blk-0"], "restart": ["fault"]}


SERVER = {"kind": "process", "program": "build:disk-diskserver.elf", "arguments": ["diskserver", "format"], "memory": "1M", "threads": 4}


@pytest.fixture(autouse=True)
def fetched() -> None:
    try:
        littlefs.source(paths.CACHE, lambda _text: None)
    except NotFetchedError as error:
        pytest.skip(str(error))


def system(*words: str, **more: Any) -> dict[str, Any]:
    return {"system": "disk", "board": "virt", "memory": "128M", "domains": {"boots": BOOTS | {"arguments": ["boots", *words]} | more}}


def served() -> dict[str, Any]:
    """A server of the disk, and two clients."""
    client = {"kind": "process", "program": "build:mounted.elf", "memory": "256K", "autostart": False}
    domains = {"files": SERVER | {"devices": ["virtio-blk-0"]}}
    domains |= {name: client | {"arguments": ["mounted", name]} for name in ("keep", "write")}
    channels = [{"name": name, "between": ["files", name], "size": "64K"} for name in ("keep", "write")]
    return {"system": "served", "board": "virt", "memory": "128M", "domains": domains, "channels": channels}


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


def test_files_of_a_server_with_a_disk_are_there_at_the_next_boot(boot: Any, tmp_path: Path) -> None:
    """Clients by stdio and opendir(); the server begins again once, and the board."""
    disks = [tmp_path / "disk.img"]
    with boot(served(), disks=disks) as running:
        await_monitor(running)
        said(running, "files", "diskserver: a new file system")
        assert ended(running, "write") == "done: exit status 0", running["write"].text
        said(running, "write", r"mounted: \d+ bytes, mode 100644")
        said(running, "write", r"mounted: /srv/folder has lines\r*\n")
        assert ended(running, "keep") == "done: exit status 0", running["keep"].text
        command(running, "restart files")
        assert ended(running, "keep") == "done: exit status 0", running["keep"].text
        said(running, "keep", r"(?s)mounted: start 1.*mounted: start 2\r*\nmounted: /srv has done/ starts\r*\n")
    with boot(served(), disks=disks) as running:
        await_monitor(running)
        assert ended(running, "keep") == "done: exit status 0", running["keep"].text
        said(running, "keep", r"mounted: start 3\r*\nmounted: /srv has done/ starts\r*\n")
        assert "new file system" not in running["files"].text


def test_a_hostile_holder_of_a_range_reaches_no_neighbours_blocks(boot: Any, tmp_path: Path) -> None:
    """One process drives the disk; a server of files has one range of it, a hostile program the next; the board begins anew."""
    program = {"kind": "process", "memory": "256K"}
    domains = {
        "disk": SERVER
        | {"program": "build:disk-blockserver.elf", "arguments": ["blockserver", "0+512", "512+16"], "devices": ["virtio-blk-0"]},
        "files": SERVER | {"arguments": ["diskserver", "format", "range"]},
        "keep": program | {"program": "build:mounted.elf", "arguments": ["mounted", "keep"], "autostart": False},
        "storm": program | {"program": "build:disk-rangestorm.elf", "arguments": ["rangestorm", str(QUESTIONS)]},
    }
    channels = [
        {"name": "range", "between": ["disk", "files"], "size": "128K"},
        {"name": "hostile", "between": ["disk", "storm"], "size": "128K"},
        {"name": "keep", "between": ["files", "keep"], "size": "64K"},
    ]
    ranges = {"system": "ranges", "board": "virt-disk", "memory": "128M", "domains": domains, "channels": channels}
    disks = [tmp_path / "disk.img"]
    for start in 1, 3:
        with boot(ranges, disks=disks) as running:
            await_monitor(running)
            said(running, "files", "diskserver: serves 1")
            assert ended(running, "keep") == "done: exit status 0", running["keep"].text
            found = said(running, "storm", r"rangestorm: (\d+) refused, (\d+) read")
            assert int(found[1]) > QUESTIONS // 4 and int(found[2]) > 0
            command(running, "restart disk")  # files go on with its next life
            assert ended(running, "keep") == "done: exit status 0", running["keep"].text
            said(running, "keep", rf"(?s)start {start}\r*\n.*start {start + 1}\r*\n")
    image = disks[0].read_bytes()
    block = 4096
    assert image[512 * block : 528 * block].strip(b"\0\x5a") == b""
    assert b"\x5a" * 64 not in image[: 512 * block]
    assert image[528 * block :].strip(b"\0") == b""


def test_a_server_of_a_damaged_disk_answers_or_ends_and_nobody_waits_for_ever(boot: Any, tmp_path: Path) -> None:
    """Damage in the blocks of folders; test_a_disk_whose_contents_are_wrong_harms_nobody_else has thousands of such disks."""
    dice, disks = random.Random(SEED), [tmp_path / "disk.img"]
    with boot(served(), disks=disks) as running:
        await_monitor(running)
        for name in "write", "keep":
            assert ended(running, name) == "done: exit status 0", running[name].text
    image = disks[0].read_bytes()
    for _damage in range(DAMAGES):
        wrong = bytearray(image)
        for _byte in range(40):
            wrong[dice.randrange(16 * 4096)] ^= 1 << dice.randrange(8)
        disks[0].write_bytes(wrong)
        with boot(served(), disks=disks) as running:
            await_monitor(running)
            said(running, "files", r"diskserver: (serves 2|no file system)")
            assert ended(running, "keep").startswith(("done: exit status", "fault"))
            assert "PANIC" not in running["kernel"].text


def test_a_pc_has_cards_of_both_kinds_and_a_disk(boot: Any, tmp_path: Path) -> None:
    """By PCI, each with a driver of its own; what was written to the disk is there at the next boot."""
    card = {"kind": "process", "memory": "128K", "arguments": ["gateway", "20"]}
    domains = {
        "first": card | {"program": "build:gateway.elf", "devices": ["rtl8139-0"]},
        "second": card | {"program": "build:gateway_virtio.elf", "devices": ["virtio-net-0"]},
        "boots": BOOTS | {"arguments": ["boots", "0"]},
    }
    wanted, disks = {"system": "both", "board": "q35-virtio", "memory": "128M", "domains": domains}, [tmp_path / "disk.img"]
    with boot(wanted, disks=disks) as running:
        for name in ("first", "second"):
            said(running, name, "gateway: 20 of 20 pings answered, 0 rings lost")
        said(running, "boots", "boots: a new file system")
        said(running, "boots", "boots: 1, number ")
    with boot(wanted, disks=disks) as running:
        said(running, "boots", "boots: 2, number ")


@pytest.mark.parametrize("board", ["virt", "q35-virtio"])
def test_files_on_a_programs_own_disk_are_used_as_others_by_stdio(boot: Any, tmp_path: Path, board: str) -> None:
    """Without a server; they are there at the next boot."""
    own = BOOTS | {"program": "build:disk-ownfiles.elf", "arguments": ["ownfiles"]}
    wanted, disks = {"system": "own", "board": board, "memory": "128M", "domains": {"own": own}}, [tmp_path / "disk.img"]
    with boot(wanted, disks=disks) as running:
        said(running, "own", r"ownfiles: a new file system\r*\nownfiles: start 1")
        said(running, "kernel", "domain own: done: exit status 0")
    with boot(wanted, disks=disks) as running:
        said(running, "own", "ownfiles: start 2")
        said(running, "kernel", "domain own: done: exit status 0")
