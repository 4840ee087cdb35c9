# SPDX-License-Identifier: MIT
"""An I/O cluster of 64 MiB, the largest slice, beside one of 2 MiB: who has it uses it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside


@pytest.fixture(autouse=True, scope="module")
def kernels() -> None:
    for kernel in KERNELS.values():
        build_kernel(kernel.removeprefix("shape:"), lambda _text: None)


@pytest.mark.parametrize(("memory", "of_it", "least"), [("64M", "60M", 14_000), ("32M", "29M", 6_500)])
@pytest.mark.parametrize("board", BOARDS)
def test_an_io_cluster_has_memory_of_up_to_64_mib(running: Any, board: str, memory: str, of_it: str, least: int) -> None:
    """A process there has all but what a kernel needs, writes each page and finds it as written."""
    wide = {"kind": "process", "program": "build:wide.elf", "memory": of_it}
    small = {"kind": "process", "program": "build:wide.elf", "memory": "1M"}
    clusters = {"io": {"kind": "io", "memory": memory, "harts": 3, "domains": {"p": wide}}, "c": {"harts": 2, "domains": {"p": small}}}
    with running({"system": "wide", "board": board, "kernel": KERNELS[board], "clusters": clusters}) as started:
        for name, pages in (("io", least), ("c", 100)):
            assert started[name].expect(r"domain p: (.*?)\r*\n", 120)[1] == "done: exit status 0", started[name].text
            found = re.search(r"wide: (\d+) pages, each as it was written\r*\n", started[name].text)
            assert found and int(found[1]) >= pages, started[name].text
