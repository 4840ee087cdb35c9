# SPDX-License-Identifier: MIT
"""Large pages of processes in clusters of 16 MiB: of 2 MiB with 64-bit harts, of 4 MiB with 32-bit ones; and pages of 64 KiB, which
64-bit harts have (the property amalgam,svnapot), also in a cluster of 2 MiB."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import KERNELS

pytestmark = pytest.mark.beside

PAGES = {"manycore": 4, "manycore32": 1}  # of 10 MiB, the first of which has the image in it
WORD = {"manycore": "1400100000", "manycore32": "30200000"}  # of tests/programs/large.c: in the middle of its page


MEDIUM_WORD = "1400008000"


def cluster(number: int, arguments: list[str], memory: str = "16M", of_it: str = "10M") -> dict[str, Any]:
    process = {"kind": "process", "program": "build:large.elf", "arguments": ["large", *arguments], "memory": of_it, "threads": 2}
    return {"kind": "compute" if number else "io", "harts": 3, "memory": memory, "domains": {"program": process}}


@pytest.mark.parametrize("board", PAGES)
def test_large_pages_in_a_cluster_of_16_mib(running: Any, board: str) -> None:
    """Each argument rightly and wrongly, 50 times all memory, with two threads; and what a thread loses it faults on."""
    words = {"large": [], "taken": ["taken"], "sealed": ["sealed"]}
    layout = {name: cluster(number, arguments) for number, (name, arguments) in enumerate(words.items())}
    with running({"system": "large", "board": board, "kernel": KERNELS[board], "clusters": layout}) as started:
        assert started["large"].expect(r"domain program: (.*?)\r*\n", 300)[1] == "done: exit status 0"
        assert f"large: right, {PAGES[board]} pages\n" in started["large"].text.replace("\r", "")
        for name in ("taken", "sealed"):
            end = started[name].expect(r"domain program: (.*?)\r*\n", 120)[1]
            assert re.fullmatch(rf"fault: thread 1: (store|load) page fault at image\+[0-9a-f]+, address {WORD[board]}", end), end


def test_pages_of_64_kib_in_clusters(running: Any, full: bool) -> None:
    """The same of them, 5 times all memory, and in a cluster of 2 MiB, where most of a process's MiB becomes such pages, 50 times."""
    words = {"medium": ["64k"] if full else ["64k", "times", "5"], "taken": ["64k", "taken"], "sealed": ["64k", "sealed"]}
    layout = {name: cluster(number, arguments) for number, (name, arguments) in enumerate(words.items())}
    layout["small"] = cluster(3, ["64k"], "2M", "1M")
    with running({"system": "medium", "board": "manycore", "kernel": KERNELS["manycore"], "clusters": layout}) as started:
        for name, least, most in (("medium", 150, 160), ("small", 11, 16)):
            assert started[name].expect(r"domain program: (.*?)\r*\n", 300)[1] == "done: exit status 0", started[name].text
            pages = re.search(r"large: right, (\d+) pages\r*\n", started[name].text)
            assert pages and least <= int(pages[1]) < most, started[name].text
        for name in ("taken", "sealed"):
            end = started[name].expect(r"domain program: (.*?)\r*\n", 120)[1]
            assert re.fullmatch(rf"fault: thread 1: (store|load) page fault at image\+[0-9a-f]+, address {MEDIUM_WORD}", end), end


@pytest.mark.parametrize(("board", "shape"), [("manycore", "shape:cluster-lean"), ("manycore32", "shape:cluster32")])
def test_other_clusters_refuse_pages_of_64_kib(running: Any, board: str, shape: str) -> None:
    layout = {"one": cluster(0, ["64k"])}
    with running({"system": "no-medium", "board": board, "kernel": shape, "clusters": layout}) as started:
        assert started["one"].expect(r"domain program: (.*?)\r*\n", 120)[1] == "done: exit status 0"
        assert "large: there are none" in started["one"].text
