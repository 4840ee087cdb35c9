# SPDX-License-Identifier: MIT
"""Behind an instruction that the kernel executes for a guest comes what the processor would let come: trap, breakpoint, no RF."""

from __future__ import annotations

import re
from typing import Any

import pytest
from second import comes_back_to_a_finished_rep

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:steps.elf", "memory": "16M", "devices": [{"type": "uart"}], "hypercalls": True}

# REP STOS to memory, which does not exit: one trap more, at the instruction, than it has iterations left.
OF_THE_EMULATOR = "c_rep_stos: single steps:" + "".join(f" +{at} dr6 ffff4ff0" for at in (0, 0, 0, 2, 3, 4))


def test_a_debugger_sees_each_instruction_that_exits(boot: Any) -> None:
    with boot({"system": "steps", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}) as board:
        verdict = board["guest"].expect(r"steps: (ok|WRONG), (\d+) instructions\r*\n", 60)
        complaints = re.findall(r"steps: (c_.*?)\r*\n", board["guest"].text)
        emulators = [OF_THE_EMULATOR] if comes_back_to_a_finished_rep() else []
        assert (complaints, verdict[1], verdict[2]) == (emulators, "WRONG" if emulators else "ok", "20"), board["guest"].text
