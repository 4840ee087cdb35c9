# SPDX-License-Identifier: MIT
"""What kernel/board/pc/quirks.c works around is still so: without the workaround the emulator fails as it says there."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.console import ConsoleError

GUEST = {
    "boot": "pvh",
    "kernel": "build:events.elf",
    "memory": "16M",
    "vcpus": 2,
    "cores": [0, 0],
    "devices": [{"type": "uart"}, {"type": "pc"}],
}


def test_qemu_dies_when_a_guest_lowers_cr8_unless_the_kernel_does_it(boot: Any) -> None:
    system = {"system": "quirks", "board": "q35", "cores": 1, "memory": "256M", "domains": {"g": GUEST}}
    with boot(system, cpu="EPYC,+svm,tcg-cpuid=off") as board, pytest.raises(ConsoleError, match="(?s)SIGABRT.*iothread"):
        board["g"].expect(r"events: done, \d+ wrong", 60)  # the kernel takes the board for silicon
