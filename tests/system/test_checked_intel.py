# SPDX-License-Identifier: MIT
"""The kernel that checks the VMCS before every entry (config/checked-intel.config): guests run on it, and break no rule."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from support import said

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}], "hypercalls": True}
DOMAINS = {
    "events": GUEST | {"kernel": "build:events.elf", "vcpus": 2, "cores": [0, 1], "devices": [{"type": "uart"}, {"type": "pc"}]},
    "prefixed": GUEST | {"kernel": "build:prefixed.elf"},
    "registers": GUEST | {"kernel": "build:registers.elf", "cmdline": "rounds=20"},
}


def test_guests_break_no_rule_of_an_entry_by_vt_x(boot: Any) -> None:
    kernel = build_kernel("checked-intel", lambda _text: None)
    system = {"system": "checked-intel", "board": "bochs-intel", "cores": 2, "memory": "256M", "domains": DOMAINS}
    with boot(system, emulator="bochs", kernel=kernel) as board:
        assert said(board, "prefixed", r"prefixed: (\w+),")[1] == "ok"
        assert said(board, "registers", r"registers: mark=1 (\w+),")[1] == "ok"
        assert said(board, "events", r"events: done, (\d+) wrong")[1] == "0"
