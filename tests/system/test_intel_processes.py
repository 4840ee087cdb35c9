# SPDX-License-Identifier: MIT
"""Programs that other tests run on AMD's processors, as processes beside a guest by VT-x: what their threads have in registers,
signals, pages, lines, watchdogs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command, health
from support import ended, said, says

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:checksum.elf", "cmdline": "mib=1 report=64", "memory": "16M", "devices": [{"type": "uart"}]}
PROCESS = {"kind": "process", "memory": "256K", "threads": 3, "cores": [0, 1]}
DOG = PROCESS | {"program": "build:watchdog.elf", "watchdog": "40ms", "autostart": False}
PROGRAMS = {  # what each says when all was right
    "floats": r"floats: (right|WRONG.*?)\r*\n",
    "signals": r"signals: (right|WRONG.*?)\r*\n",
    "turns": r"turns: (right|WRONG.*?)\r*\n",
    "contexts": r"contexts: (right|WRONG.*?)\r*\n",
    "masks": r"masks: (right|WRONG.*?)\r*\n",
}


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Any]:
    domains = {
        "neighbour": GUEST | {"cores": [0]},
        **{name: PROCESS | {"program": f"build:{name}.elf", "arguments": [name]} for name in PROGRAMS},
        "lines": PROCESS | {"program": "build:lines.elf"},
        "taken": PROCESS | {"program": "build:large.elf", "memory": "12M", "arguments": ["large", "taken"], "autostart": False},
        **{what: DOG | {"arguments": ["watchdog", what]} for what in ("sleeps", "spins")},
    }
    system = {"system": "intel-processes", "board": "bochs-intel", "cores": 2, "memory": "256M", "domains": domains}
    with boot_module(system, emulator="bochs", ips=50_000_000) as b:  # a second of its clock is fewer instructions
        await_monitor(b)
        yield b


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_right_beside_a_guest_by_vt_x(board: Any, name: str) -> None:
    assert said(board, name, PROGRAMS[name])[1] == "right"
    says(board, "neighbour", "checksum: round=")


def test_threads_of_a_program_keep_avx_apart_beside_a_guest_by_vt_x(board: Any) -> None:
    said(board, "turns", r"own on each of 2, \d+ and \d+ switches, AVX\r*\n")


def test_lines_of_threads_do_not_mix_beside_a_guest_by_vt_x(board: Any) -> None:
    said(board, "lines", "lines: done")
    lines = re.findall(r"[ab]+", board["lines"].text.partition("lines: done")[0])
    assert sorted(lines) == ["a" * 100] * 100 + ["b" * 100] * 100


def test_a_large_page_is_gone_on_the_other_core_too_beside_a_guest_by_vt_x(board: Any) -> None:
    assert re.fullmatch(r"fault: thread 1: page fault at image\+[0-9a-f]+, address 8400100000", ended(board, "taken"))


@pytest.mark.parametrize("what", ["sleeps", "spins"])
def test_a_process_that_kicks_no_more_is_ended_beside_a_guest_by_vt_x(board: Any, what: str) -> None:
    assert ended(board, what) == "watchdog: no kick for 40 ms"
    row = next(row for row in health(command(board, "health")) if row["name"] == what)
    assert (row["health"], row["watchdog_ms"]) == ("failed", 40)
