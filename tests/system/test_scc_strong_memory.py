# SPDX-License-Identifier: MIT
"""Memory of Linux' size that a guest on several cores of an SCC touches (guests/ring1/strongcosts.c)."""

from __future__ import annotations

from typing import Any

from support import said

PAGES = 2816 - 32


def test_eleven_mebibytes_go_from_core_to_core_and_back(boot: Any) -> None:
    guest = {"kernel": "build:strongcosts.elf", "memory": "2M", "strong": "11M", "ues": [0, 5], "power": "board"}
    with boot({"system": "memory", "board": "scc-strong", "domains": {"guest": guest}}, icount=True, chosen=(0, 5)) as board:
        said(board, "guest", rf"memory: {PAGES} pages, \d+ ticks a page at first, \d+ from the other vCPU, 0 wrong")
        print(board["guest"].text)
