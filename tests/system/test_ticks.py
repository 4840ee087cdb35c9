# SPDX-License-Identifier: MIT
"""A Linux that knows of no hypervisor, in windows: it takes time by the interval timer's interrupts until it has a better clock."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

pytestmark = pytest.mark.beside


def test_linux_finds_its_timer_in_narrow_windows(boot: Any) -> None:
    """It wants five ticks of 4 ms within 160 ms. One a window, and one more in some, would be four at most. By counted
    instructions: the counter goes at 1 GHz, and the host's pauses do not exist."""
    linux = {
        "boot": "pvh",
        "kernel": "debian:vmlinux",
        "cmdline": "earlycon=uart8250,io,0x3f8 keep_bootcon",
        "memory": "128M",
        "cores": [0],
        "kvm": False,
        "devices": [{"type": "uart"}],
    }
    frame = {"core": 0, "length": "100ms", "windows": [{"domain": "linux", "start": "98ms", "length": "2ms"}]}
    with boot(
        {"system": "ticks", "board": "q35", "cores": 1, "memory": "512M", "domains": {"linux": linux}, "frames": [frame]}, icount=True
    ) as board:
        found = said(board, "linux", r"TIMER: vector=0x30 .*\n(?:.*\n)*?.*(8254 timer not connected|Calibrating delay)", 240)
        assert found[1] == "Calibrating delay", board["linux"].text
