# SPDX-License-Identifier: MIT
"""No guest sees or spoils a register of another that takes turns with it on a core."""

from __future__ import annotations

import re
from typing import Any

import pytest
from second import BOCHS_LONG, FAST

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:registers.elf", "memory": "16M", "devices": [{"type": "uart"}]}


def guest(mark: int, armed: int) -> dict[str, Any]:
    return GUEST | {"cmdline": f"mark={mark} armed={armed} rounds=200"}


@pytest.mark.parametrize("cpu", ["EPYC,+svm", "max"])
def test_registers_are_each_guests_own(boot: Any, cpu: str) -> None:
    domains = {f"r{mark}": guest(mark, armed) for mark, armed in ((1, 1), (2, 0), (3, 1))}
    with boot({"system": "registers", "board": "q35", "cores": 1, "memory": "256M", "domains": domains}, cpu=cpu) as board:
        for name in domains:
            verdict = board[name].expect(r"registers: mark=\d+ (.*)\r?\n", 120)
            assert verdict.group(1).startswith("ok, "), board[name].text


@pytest.mark.parametrize("emulator", BOCHS_LONG[1:])
def test_registers_are_each_guests_own_but_for_cr2_on_an_emulator_that_does_not_load_it(boot: Any, emulator: str) -> None:
    """Bochs 2.7 reads CR2 from the VMCB and drops it (docs/boards.md). XCR0 is among the others: its intercept counts there."""
    domains = {f"r{mark}": guest(mark, 0) for mark in (1, 2, 3)}
    system = {"system": "registers-second", "board": "q35", "cores": 1, "memory": "256M", "domains": domains}
    with boot(system, emulator=emulator, **FAST[emulator]) as board:
        for name in domains:
            board[name].expect(r"registers: mark=\d+ (ok|WRONG), 22 registers, 200 rounds\r?\n", 120)
            assert set(re.findall(r"(?:after a turn|at reset): (\w+) is", board[name].text)) == {"cr2"}, board[name].text
