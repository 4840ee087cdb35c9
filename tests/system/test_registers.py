# SPDX-License-Identifier: MIT
"""No guest sees or spoils a register of another that takes turns with it on a core."""

from __future__ import annotations

from typing import Any

import pytest

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
