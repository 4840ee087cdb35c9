# SPDX-License-Identifier: MIT
"""Two cards on one wire, each with a driver and a stack of its own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.monitor import await_monitor, command
from support import listed, said, settled
from yaml import safe_load


@pytest.mark.parametrize("requests", [2_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_requests_between_two_cards_cost_no_page(boot: Any, requests: int) -> None:
    """Questions and answers by UDP, through two drivers and two stacks: the kernel has as much memory after the client's third life as after its
    first, and server and drivers are in their first."""
    made = safe_load((paths.BENCH / "net/cards.yaml").read_text(encoding="utf-8"))
    talks = made["domains"]["talks"]
    talks["arguments"] = ["netcost", "flood", "10.0.0.1", str(requests // 3)]
    del talks["power"]
    made["domains"]["talks"] = talks | {"status": "read", "cores": [1]}
    made["domains"]["card-b"]["cores"] = [1]
    with boot(made | {"cores": 2}, network="wire") as board:
        await_monitor(board)
        free = []
        for _life in range(3):
            said(board, "kernel", rf"(?s)(domain talks: done: exit status 0.*?){{{len(free) + 1}}}", 60 + requests / 500)
            settled(board, "talks")
            free.append(re.search(r"(\d+) KiB free", command(board, "mem"))[1])  # type: ignore[index]
            command(board, "start talks")
        assert free[0] == free[2]
        assert {listed(board, name)["restarts"] for name in ("serves", "card-a", "card-b")} == {"0"}
