# SPDX-License-Identifier: MIT
"""Misses by tools/plugin/caches.c, hart by hart those of QEMU's own plugin of caches, in the same run.

QEMU's knows no marker and sees an instruction in the line of its first byte only, so ours is told ends=off, and the programs have one
cluster: between clusters a kernel drops lines. Both take addresses in the emulator's memory for instructions, physical ones for data, and
the least recently used line first."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts import cacheplugin
from amalgam.artifacts.error import ArtifactError
from amalgam.measure import caches
from manycores import KERNELS, Start

pytestmark = [pytest.mark.beside, pytest.mark.full]

LINE = re.compile(r"^(\d+) +(\d+) +(\d+) +[\d.]+% +(\d+) +(\d+) ", re.M)


def system(board: str, threads: int) -> dict[str, object]:
    """Threads on harts of their own that call the master in windows, as bench/nanvix/callers.yaml."""
    words = ["kcall", str(threads), "1", "20"]
    process = {
        "kind": "process",
        "program": "build:nanvix-kcall.elf",
        "arguments": words,
        "threads": 15,
        "memory": "512K",
        "power": "board",
    }
    io = {"kind": "io", "harts": threads + 3, "domains": {"kcall": process}}
    return {"system": "peer", "board": board, "kernel": KERNELS[board], "clusters": {"io": io}}


def asked(kind: str, shape: str) -> str:
    """A cache as QEMU's plugin wants it said."""
    size, ways, line = shape.split(":")
    return f",{kind}cachesize={int(size.removesuffix('K')) << 10},{kind}assoc={ways},{kind}blksize={line}"


@pytest.fixture(scope="module")
def peer() -> Path:
    try:
        return cacheplugin.plugin(paths.CACHE, print)
    except ArtifactError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("board", "threads", "i", "d"),
    [
        ("manycore", 14, "8K:2:64", "8K:2:32"),
        ("manycore", 4, "1K:1:32", "2K:4:64"),
        ("manycore", 4, "4K:64:64", "512K:16:128"),
        ("manycore32", 4, "2K:2:32", "1K:1:16"),
    ],
)
def test_misses_are_those_of_the_emulators_own_plugin(
    clusters: Start, peer: Path, board: str, threads: int, i: str, d: str, tmp_path: Path
) -> None:
    out, log = tmp_path / "caches", tmp_path / "log"
    theirs = ["-plugin", f"{peer},limit=0{asked('i', i)}{asked('d', d)}", "-d", "plugin", "-D", str(log)]
    clusters(system(board, threads), extra=[*caches.options(out, i, d, ends=False), *theirs])
    found = caches.read(out)
    told = {int(hart): tuple(map(int, numbers)) for hart, *numbers in LINE.findall(log.read_text(encoding="utf-8"))}
    marks = Counter(mark.hart for mark in found.marks)  # they are no instructions of ours
    assert set(told) == set(found.harts) and len(told) == threads + 3
    for hart, ours in found.harts.items():
        accesses, missed_d, fetched, missed_i = told[hart]
        assert (ours.own + marks[hart], ours.missed_i, ours.missed_d) == (fetched, missed_i, missed_d), hart
        assert 0 <= accesses - ours.accesses < 100, hart  # a kernel that begins cleans a few lines, by markers
    assert sum(ours.missed_d for ours in found.harts.values()) > 1000
