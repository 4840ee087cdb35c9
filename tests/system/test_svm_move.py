# SPDX-License-Identifier: MIT
"""Pages of shared virtual memory move to the memory near who uses them."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

TOUCH = {"system": "svm-touch", "board": "scc", "domains": {"touch": {"kind": "task", "task": "svm-touch", "cores": [0]}}}
PAGES = 4  # of each rank (kernel/proof/svm_touch.c)


def controller(core: int) -> int:
    """Four, each with 3 x 2 of the 6 x 4 tiles."""
    tile = core // 2
    return tile // 6 // 2 * 2 + tile % 6 // 3


@pytest.mark.parametrize("cores", [(0, 46, 47), (0, 1, 10, 11), (0, 10, 24, 46, 47)], ids=["two", "rows", "four"])
def test_pages_move_to_who_touches_them(boot: Any, cores: tuple[int, ...]) -> None:
    n, hots = len(cores), 0
    at = [controller(core) for core in cores]
    with boot(TOUCH, icount=True, chosen=cores) as board:
        for rank, core in enumerate(cores):
            source, tag = ("kernel", rf"core {core}: ") if core else ("touch", "")
            line = rf"{tag}touch: rank {rank} at controller (\d): (\d+) wrong; moved (\d+) at the next touch, (\d+) by call, (\d+) hot"
            here, wrong, touched, called, hot = (int(word) for word in said(board, source, line).groups())
            assert (here, wrong) == (at[rank], 0)
            assert touched == PAGES * (at[rank] != at[(rank + 1) % n])  # the next rank's pages
            assert called == PAGES * (at[rank] != at[rank - 2])  # those of the rank before, which the one before that has touched
            hots += hot * (rank > 0)  # rank 0 has them moved back by a call
        said(board, "kernel", "^domain touch: done")
    assert hots == 2 * (at[0] != at[-1])  # data and flag
