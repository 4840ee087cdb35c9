# SPDX-License-Identifier: MIT
"""Behind an instruction that the kernel executes for a guest comes what the processor would let come: trap, breakpoint, no RF."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:steps.elf", "memory": "16M", "devices": [{"type": "uart"}], "hypercalls": True}


def test_a_debugger_sees_each_instruction_that_exits(boot: Any) -> None:
    with boot({"system": "steps", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}) as board:
        verdict = board["guest"].expect(r"steps: (ok|WRONG), (\d+) instructions\r*\n", 60)
        assert verdict.groups() == ("ok", "20"), board["guest"].text
