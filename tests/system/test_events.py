# SPDX-License-Identifier: MIT
"""NMIs, priorities, broadcasts, timer modes, the 8259, INIT and STARTUP reach a guest's CPUs as they reach real ones."""

from __future__ import annotations

import re
from typing import Any

import pytest
from second import BOCHS_LONG, FAST

GUEST = {"boot": "pvh", "kernel": "build:events.elf", "memory": "16M", "vcpus": 2, "devices": [{"type": "uart"}, {"type": "pc"}]}


@pytest.mark.parametrize("emulator", BOCHS_LONG)
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("apic", ["x2apic", "xapic"])
def test_events(boot: Any, apic: str, cores: int, emulator: str) -> None:
    guest = GUEST | {"cmdline": f"xapic={int(apic == 'xapic')}", "cores": list(range(cores)) * (2 // cores)}
    with boot(
        {"system": "events", "board": "q35", "cores": cores, "memory": "256M", "domains": {"g": guest}}, emulator=emulator, **FAST[emulator]
    ) as board:
        board["g"].expect(rf"events: {apic}\r?\n", 60)
        board["g"].expect(r"events: done, \d+ wrong", 120)
        text = board["g"].text
    assert not re.findall(r"events: .* WRONG.*", text)
    assert len(re.findall(r"events: [\w-]+ ok", text)) == 26
