# SPDX-License-Identifier: MIT
"""An intercepted instruction is stepped over whole, whatever prefixes stand before it and where it lies."""

from __future__ import annotations

from typing import Any

import pytest
from second import BOCHS

GUEST = {"boot": "pvh", "kernel": "build:prefixed.elf", "memory": "16M", "devices": [{"type": "uart"}], "hypercalls": True}


SYSTEM = {"system": "prefixed", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}
PHENOM = pytest.param("bochs", "phenom_8650_toliman", id="second-bochs-without-next-rip")


@pytest.mark.parametrize("emulator, cpu", [*(pytest.param(*p.values, "EPYC,+svm", id=p.id) for p in BOCHS), PHENOM])
def test_prefixed_instructions_are_stepped_over_whole(boot: Any, emulator: str, cpu: str) -> None:
    """Lengths are measured where the processor does not save the next RIP: QEMU's and the Phenom do not, Bochs' Ryzen does."""
    with boot(SYSTEM, emulator=emulator, cpu=cpu) as board:
        verdict = board["guest"].expect(r"prefixed: (ok|WRONG), (\d+) instructions\r*\n", 60)
        assert verdict.groups() == ("ok", "300"), board["guest"].text
