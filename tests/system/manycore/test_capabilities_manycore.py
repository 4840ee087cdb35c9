# SPDX-License-Identifier: MIT
"""Page capabilities between processes of one cluster: granted, derived, and revoked from holders that never call the kernel (docs/handles.md)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, Start

pytestmark = pytest.mark.beside

ROUNDS = {"manycore": 3, "manycore32": 1}  # a turn of a holder's core is 100 million instructions
KERNELS = {"manycore": "shape:cluster-pages", "manycore32": "shape:cluster32-pages"}


def role(name: str, *words: str, cores: list[int], **more: Any) -> dict[str, Any]:
    process = {"kind": "process", "program": "build:capabilities.elf", "arguments": ["capabilities", name, *words], "memory": "256K"}
    return process | {"cores": cores, "threads": len(cores)} | more


def system(board: str) -> dict[str, Any]:
    domains = {
        "owner": role("owner", str(ROUNDS[board]), cores=[1], power="board"),
        "holder": role("holder", cores=[2, 3, 4], restart=["fault"]),
        "third": role("third", cores=[5], restart=["fault"]),
    }
    ends = {"gives": ["owner", "holder"], "passes": ["holder", "third"], "tells": ["owner", "third"]}
    channels = [{"name": name, "between": between, "size": "4K"} for name, between in ends.items()]
    io = {"kind": "io", "harts": 6, "memory": "2M", "domains": domains, "channels": channels}
    return {"system": "capabilities", "board": board, "kernel": KERNELS[board], "clusters": {"io": io}}


@pytest.mark.parametrize("board", BOARDS)
def test_nothing_is_written_to_pages_when_they_are_revoked(clusters: Start, board: str) -> None:
    """Whatever the holders do: each of their threads writes in a loop, and the frames are the owner's."""
    said = clusters(system(board), timeout=120)["io"].text
    assert "capabilities: granted and revoked, right" in said and "WRONG" not in said
    for name in ("holder", "third"):
        ends = re.findall(rf"domain {name}: (.*?)\r*\n", said)
        assert len(ends) == ROUNDS[board] and all(re.match(r"fault: thread \d+: .*page fault", end) for end in ends), ends
