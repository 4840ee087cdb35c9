# SPDX-License-Identifier: MIT
"""The kernel comes up by each way in, with any number of cores, and leaves when told."""

from __future__ import annotations

import re
import struct
import time
import zlib
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor, command, rows
from amalgam.system import image
from amalgam.system.layout import SYSTEM_TABLE
from support import said

TINY: dict[str, Any] = {
    "system": "tiny",
    "board": "q35",
    "cores": 2,
    "memory": "256M",
    "domains": {"a": {"boot": "pvh", "kernel": "build:hello.elf", "memory": "16M", "autostart": False}},
}


@pytest.mark.parametrize("iso", [False, True], ids=["pvh", "multiboot2"])
def test_boots_and_powers_off(boot: Any, iso: bool) -> None:
    with boot(TINY, iso=iso) as board:
        board.kernel.expect(r"loaded by " + ("multiboot2" if iso else "PVH"), 120)
        await_monitor(board)
        assert [row["name"] for row in rows(command(board, "list"), r"\s*\d+ (?P<name>\S+)")] == ["a"]
        board.kernel.send("quit\n")
        assert board.wait(60) == 0


@pytest.mark.parametrize("cores", [1, 2, 16, pytest.param(64, marks=pytest.mark.full)])
def test_all_cores_come_up(boot: Any, cores: int) -> None:
    with boot(TINY | {"system": f"cores{cores}", "cores": cores, "memory": "512M"}) as board:
        await_monitor(board, 240)
        deadline = time.monotonic() + 120 * SCALE  # a core that the host does not run is late, and comes
        while (up := len(re.findall(r"^cpu \d+ online", command(board, "cpus"), re.MULTILINE))) < cores:
            assert time.monotonic() < deadline, f"{up} of {cores} cores came up"
            time.sleep(0.2)
        assert up == cores


@pytest.mark.parametrize("cpu", ["EPYC,+svm,+x2apic", "max,+svm"], ids=["x2apic", "five-levels"])
def test_guests_run_on_other_processors(boot: Any, cpu: str) -> None:
    """An x2APIC where the emulator has one, and five levels of page tables, nested ones too."""
    with boot("boot-kinds", cpu=cpu) as board:
        for name in board.names:
            board[name].expect("hello: end=off", 60)
            said(board, "kernel", f"domain {name}: power-off")


def test_a_damaged_image_is_refused(boot: Any, images: Any, tmp_path: Any) -> None:
    _, good = images.get(TINY)
    data = bytearray(good.read_bytes())
    data[100] ^= 1
    bad = tmp_path / "bad.img"
    bad.write_bytes(data)
    with boot(TINY, image=bad) as board:
        board.kernel.expect("checksum", 60)
        await_monitor(board)
        assert command(board, "list") == ""  # no domain, but a console that answers


def test_a_record_that_its_kind_refuses_is_refused_at_boot(boot: Any, images: Any, tmp_path: Any) -> None:
    """The kinds of domains are there before the image is looked at: what only vm/pc can know to be wrong."""
    _, good = images.get(TINY)
    data = bytearray(good.read_bytes())
    table_size = image.HEADER.unpack_from(data)[4]
    data[image.HEADER.size + SYSTEM_TABLE.offset("sys_domain", "part") + SYSTEM_TABLE.offset("sys_vm", "boot")] = (
        9  # sys_vm.boot of the first record
    )
    data[image.CRC_AT : image.CRC_AT + 4] = bytes(4)
    struct.pack_into("<I", data, image.CRC_AT, zlib.crc32(data[:table_size]))
    bad = tmp_path / "bad.img"
    bad.write_bytes(data)
    with boot(TINY, image=bad) as board:
        board.kernel.expect("refused: a domain's boot protocol is unknown", 60)
        await_monitor(board)
        assert command(board, "list") == ""


def test_the_human_port_speaks_too(boot: Any) -> None:
    with boot(TINY) as board:
        await_monitor(board)
        assert "Amalgam" in board.log.read_text(errors="replace")


def test_a_linux_that_finds_no_console_powers_off(boot: Any) -> None:
    """Its init could only end, and with it the kernel: in silence, on a core that is busy for ever."""
    mute = {"boot": "pvh", "kernel": "debian:vmlinux", "initrd": "debian:initrd", "memory": "192M", "cmdline": "console=hvc1 quiet"}
    with boot(
        {"system": "mute", "board": "q35", "cores": 1, "memory": "512M", "domains": {"mute": mute | {"devices": [{"type": "console"}]}}}
    ) as board:
        board.kernel.expect("domain mute: power-off", 200)
