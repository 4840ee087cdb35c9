# SPDX-License-Identifier: MIT
"""The hypercall that ends a paravirtualized TLB miss does what two tlbwe, mtspr PID and rfi do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.board
@pytest.mark.parametrize(("damage", "wrong"), [(0, 0), (1, 200)])
def test_it_does_what_the_instructions_do(fleet: Callable[..., Any], damage: int, wrong: int) -> None:
    """With damage=1 the guest writes what it does not expect: the control that it looks."""
    guest = {"kernel": "build:tlbload.elf", "memory": "1M", "cmdline": f"rounds=200 seed=7 damage={damage}", "irfm": True, "power": "board"}
    with fleet({"system": f"tlbload-{damage}", "board": "ref405ep", "domains": {"guest": guest}}) as board:
        board["guest"].expect(rf"tlbload: {wrong} of 200 wrong", 30)
