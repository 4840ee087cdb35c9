# SPDX-License-Identifier: MIT
"""A guest without an OS comes up by each way in, and sees what it was given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from support import said


@pytest.fixture(scope="module")
def kinds(boot_module: Any) -> Iterator[Board]:
    with boot_module("boot-kinds") as board:
        yield board


@pytest.mark.parametrize("kind", ["pvh", "multiboot1", "multiboot2", "raw"])
def test_a_guest_boots_by(kinds: Board, kind: str) -> None:
    text = "" if kind == "raw" else f"by={kind}"
    said(kinds, kind, rf'hello: boot={kind} cmdline="{text}"')
    said(kinds, kind, "hello: end=off")
    said(kinds, "kernel", rf"domain {kind}: power-off")


def test_a_guest_sees_its_memory_and_no_more(kinds: Board) -> None:
    said(kinds, "pvh", "hello: end=off")
    ranges = re.findall(r"memory ([0-9a-f]{16}) \+([0-9a-f]+) type 1\b", kinds["pvh"].text)
    assert ranges
    assert max(int(base, 16) + int(size, 16) for base, size in ranges) == 16 << 20


def test_a_guest_sees_a_hypervisor_and_no_amd_v(kinds: Board) -> None:
    line = said(kinds, "pvh", r'x1=(?P<ecx>[0-9a-f]{8})/[0-9a-f]{8} hypervisor "KVMKVMKVM')
    assert not int(line["ecx"], 16) & 1 << 2
