# SPDX-License-Identifier: MIT
"""An intercepted instruction is stepped over whole, whatever prefixes stand before it and where it lies."""

from __future__ import annotations

from typing import Any

GUEST = {"boot": "pvh", "kernel": "build:prefixed.elf", "memory": "16M", "devices": [{"type": "uart"}], "hypercalls": True}


def test_prefixed_instructions_are_stepped_over_whole(boot: Any) -> None:
    with boot({"system": "prefixed", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}) as board:
        verdict = board["guest"].expect(r"prefixed: (ok|WRONG), (\d+) instructions\r*\n", 60)
        assert verdict.groups() == ("ok", "300"), board["guest"].text
