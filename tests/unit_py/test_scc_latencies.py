# SPDX-License-Identifier: MIT
"""Homes of the SCC's shared memory (tools/amalgam/scc/latencies.py): every byte has one, and the kernel's headers agree."""

from __future__ import annotations

import re

import pytest
from amalgam import paths
from amalgam.board.scc import CORES, SHARED_AT, SLICE
from amalgam.scc import latencies

HEADER = (paths.ROOT / "kernel/board/scc/include/board/scc.h").read_text(encoding="utf-8")


def offset(name: str) -> int:
    """Of what the header puts into the shared memory."""
    found = re.search(rf"#define {name}\s+\(SCC_SHARED \+ (0x[0-9a-f]+)\)", HEADER)
    assert found
    return int(found[1], 16)


def number(file: str, name: str) -> int:
    found = re.search(rf"#define {name}\s+(\w+?)u?\b", (paths.ROOT / file).read_text(encoding="utf-8"))
    assert found
    return int(found[1], 0)


@pytest.mark.parametrize("quarters", [False, True])
def test_each_byte_of_the_shared_memory_has_one_home(quarters: bool) -> None:
    ranges = [[int(word, 16) for word in option.partition("=")[2].split(":")[:2]] for option in latencies.words(quarters)]
    assert ranges[0][0] == SHARED_AT and ranges[-1][1] == SHARED_AT + SLICE
    assert all(end == begin for (_, end), (begin, _) in zip(ranges, ranges[1:], strict=False))


def test_homes_are_where_the_headers_have_them() -> None:
    assert offset("SCC_MPB") == latencies.BUFFERS
    assert number("kernel/board/scc/include/board/scc.h", "SCC_MPB_SIZE") == latencies.BUFFER
    assert (offset("SCC_PROCESSES"), offset("SCC_PROGRAMS")) == latencies.REGISTERS
    assert offset("SCC_SVM_PAGES") == latencies.PAGES
    assert "volatile u32 lock[RCCE_MAXNP][8];" in (paths.ROOT / "user/rcce/rcce.h").read_text(encoding="utf-8")
    assert latencies.REGISTER == 8 * 4


def test_a_quarter_of_the_pages_is_at_each_corner() -> None:
    begin, size = SHARED_AT + latencies.PAGES, (SLICE - latencies.PAGES) // 4
    expected = [f"dram={begin + i * size:x}:{begin + (i + 1) * size:x}:{tile}" for i, tile in enumerate(("0:0", "5:0", "0:2", "5:2"))]
    assert list(latencies.words(quarters=True)[-4:]) == expected
    assert f"mpb={SHARED_AT + latencies.BUFFERS:x}:{SHARED_AT + latencies.BUFFERS + CORES * 0x2000:x}:2000" in latencies.words()
