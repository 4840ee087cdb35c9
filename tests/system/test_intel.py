# SPDX-License-Identifier: MIT
"""Guests by VT-x, on Bochs' Intel processors: the tree's small guests do what they do by AMD-V."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.kernel import build_kernel
from support import said

pytestmark = pytest.mark.beside

CPU = "corei7_skylake_x"
GUEST = {"boot": "pvh", "memory": "16M", "devices": [{"type": "uart"}]}


def system(name: str, cores: int = 1, **guests: dict[str, Any]) -> dict[str, Any]:
    return {"system": f"intel-{name}", "board": "q35", "cores": cores, "memory": "256M", "domains": {k: GUEST | v for k, v in guests.items()}}


def intel(boot: Any, name: str, cores: int = 1, **guests: dict[str, Any]) -> Any:
    kernel = build_kernel("pc-intel", lambda _text: None)
    return boot(system(name, cores, **guests), emulator="bochs", cpu=CPU, kernel=kernel, ips=250_000_000)


def test_a_guest_says_hello(boot: Any) -> None:
    with intel(boot, "hello", hello={"kernel": "build:hello.elf"}) as board:
        board["hello"].expect("hello", 60)
