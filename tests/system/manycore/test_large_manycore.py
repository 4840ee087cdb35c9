# SPDX-License-Identifier: MIT
"""Large pages of processes in clusters of 16 MiB: of 2 MiB with 64-bit harts, of 4 MiB with 32-bit ones."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import KERNELS

pytestmark = pytest.mark.beside

PAGES = {"manycore": 4, "manycore32": 1}  # of 10 MiB, the first of which has the image in it
WORD = {"manycore": "1400100000", "manycore32": "30200000"}  # of user/programs/large.c: in the middle of its page


def cluster(number: int, arguments: list[str]) -> dict[str, Any]:
    process = {"kind": "process", "program": "build:large.elf", "arguments": ["large", *arguments], "memory": "10M", "threads": 2}
    return {"kind": "compute" if number else "io", "harts": 3, "memory": "16M", "domains": {"program": process}}


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
