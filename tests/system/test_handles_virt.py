# SPDX-License-Identifier: MIT
"""What handles cost on virt."""

from __future__ import annotations

import re
from typing import Any

from amalgam import paths
from support import said
from yaml import safe_load


def test_handles_cost_on_virt_less_than_twice_what_they_may_on_a_pc(boot: Any) -> None:
    """What bench/handles measures on a PC, in steps of the board's clock, each of 100 instructions, of which each figure may have one too many.
    The goals there are 300 for sent and received, 200 for a withdrawal, 600 with a page."""
    made = safe_load((paths.BENCH / "handles/handles.yaml").read_text(encoding="utf-8"))
    made["board"] = "virt"
    made["domains"]["owner"]["devices"] = ["virtio-net-0"]  # then its kernel has handles
    with boot(made, icount=True) as board:
        said(board, "owner", "handlecost: done")
        cost = {name: int(median) for name, median in re.findall(r"bench (\S+) \d+ (\d+) 1000", board["owner"].text + board["holder"].text)}
    assert cost["send"] + cost["receive"] <= 6
    assert cost["withdraw-1"] <= 4 + 1 and cost["withdraw-16"] <= 4 + 1
    assert cost["withdraw-page"] <= 12
