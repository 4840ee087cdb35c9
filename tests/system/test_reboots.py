# SPDX-License-Identifier: MIT
"""A stock Linux reboots in each way that it knows, and ends as a PC would begin again."""

from __future__ import annotations

from typing import Any

import pytest
from support import said

pytestmark = pytest.mark.beside

WAYS = {
    "a": "reset",  # ACPI's register
    "b": "reset",  # the BIOS, at F000:FFF0 in real mode
    "e": "reset",  # EFI; without one the next way
    "k": "reset",  # the keyboard controller
    "p": "reset",  # CF9h
    "t": "triple fault",
}


@pytest.mark.full
@pytest.mark.parametrize("ways", ["abe", "kpt"])
def test_linux_reboots_in_each_way(boot: Any, ways: str) -> None:
    linux = {"boot": "linux64", "kernel": "debian:vmlinuz", "initrd": "debian:initrd", "memory": "192M", "devices": [{"type": "uart"}]}
    words = "console=ttyS0 quiet panic=-1 amalgam.mode=bench amalgam.run=reboot,-f reboot="
    domains = {f"way-{way}": linux | {"cmdline": words + way} for way in ways}
    with boot({"system": "reboots", "board": "q35", "cores": 2, "memory": "1G", "domains": domains}) as board:
        for way in ways:
            said(board, "kernel", rf"domain way-{way}: {WAYS[way]}: ", 300)
