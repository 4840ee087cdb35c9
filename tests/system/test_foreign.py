# SPDX-License-Identifier: MIT
"""Guests as people bring them find what a PC's firmware and a boot loader leave: tables, data areas, modules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from support import said

MODULES = {"first": (b"\x7fELF and so on" * 300, "console=hvc0 root=/dev/ram0"), "second": (bytes(range(256)) * 9, "")}
LINUX: dict[str, Any] = {"memory": "192M", "initrd": "debian:initrd", "vcpus": 2, "cores": [0, 1], "devices": [{"type": "uart"}]}


def checksum(data: bytes) -> int:
    """As guests/loaded.c makes it."""
    value = 0
    for byte in data:
        value = (value * 31 + byte) & 0xFFFFFFFF
    return value


@pytest.fixture(scope="module")
def foreign(boot_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    folder: Path = tmp_path_factory.mktemp("modules")
    modules = []
    for name, (data, words) in MODULES.items():
        (folder / name).write_bytes(data)
        modules.append({"file": str(folder / name), "cmdline": words})
    loaded = {"memory": "16M", "devices": [{"type": "uart"}], "modules": modules}
    domains = {
        "mb1": loaded | {"boot": "multiboot1", "kernel": "build:loaded-mb1.elf", "cmdline": "by=one", "cores": [0]},
        "mb2": loaded | {"boot": "multiboot2", "kernel": "build:loaded-mb2.elf", "cmdline": "by=two", "cores": [1]},
        "rsdt": LINUX | {"boot": "pvh", "kernel": "debian:vmlinux", "cmdline": "console=ttyS0 acpi=rsdt"},
        "mp": LINUX | {"boot": "linux64", "kernel": "debian:vmlinuz", "cmdline": "console=ttyS0 acpi=off"},
    }
    with boot_module({"system": "foreign", "board": "q35", "cores": 2, "memory": "768M", "domains": domains}) as board:
        yield board


@pytest.mark.parametrize("name", ["mb1", "mb2"])
def test_a_bios_data_area_names_the_memory(foreign: Board, name: str) -> None:
    said(foreign, name, r"loaded: memory=639 KiB ebda=9fc00 size=1 vectors=256\r*\n")
    said(foreign, name, r"loaded: range 0-9fc00 type 1\r*\n")
    said(foreign, name, r"loaded: range 9fc00-100000 type 2\r*\n")


@pytest.mark.parametrize("name", ["mb1", "mb2"])
def test_modules_come_behind_the_kernel_with_their_command_lines(foreign: Board, name: str) -> None:
    said(foreign, name, r"loaded: 2 modules\r*\n")
    found = re.findall(r'module (\d) ([0-9a-f]+)-([0-9a-f]+) sum=([0-9a-f]+) words="(.*)"', foreign[name].text)
    assert [(int(end, 16) - int(start, 16), int(total, 16), words) for _, start, end, total, words in found] == [
        (len(data), checksum(data), words) for data, words in MODULES.values()
    ]
    starts = [int(start, 16) for _, start, *_ in found]
    assert starts == sorted(starts)
    assert all(0x100000 < start < 0x200000 and start % 4096 == 0 for start in starts)  # of 16 MiB


def test_a_kernel_in_the_first_64_kib_is_loaded(foreign: Board) -> None:
    line = said(foreign, "mb1", r'loaded: boot=2 cmdline="by=one" image=40[0-9a-f]{2}-[0-9a-f]+ info=(?P<info>[0-9a-f]+)')
    assert int(line["info"], 16) > 0x100000


@pytest.mark.parametrize("name", ["mb1", "mb2"])
def test_a_wanted_video_mode_is_none(foreign: Board, name: str) -> None:
    said(foreign, name, r"loaded: boot=\d .* video=none\r*\n")


def test_linux_without_acpi_finds_its_processors_by_the_mp_table(foreign: Board) -> None:
    said(foreign, "mp", r"amalgam-init: up .* (?P<cpus>\d+) cpu, ", 200)
    text = foreign["mp"].text
    assert re.search(r"MPTABLE: OEM ID: AMALGAM", text)
    assert re.search(r"amalgam-init: up .* 2 cpu, ", text)
    assert "ACPI: RSDP" not in text


def test_linux_finds_its_processors_by_the_rsdt(foreign: Board) -> None:
    said(foreign, "rsdt", r"amalgam-init: up .* 2 cpu, ", 200)
    said(foreign, "rsdt", r"ACPI: RSDT 0x00000000000F0080 ")
    assert "ACPI: XSDT" not in foreign["rsdt"].text
