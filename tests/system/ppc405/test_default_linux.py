# SPDX-License-Identifier: MIT
"""Linux 6.1 with its default configuration, whose kernel memory is in pages of 4 KiB that are not writable or not executable
(STRICT_KERNEL_RWX), and which changes the PID at each entry (PPC_KUAP). Its kernels are built once, some minutes each; the paravirtualized
one, and all of them on one core, are long tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from amalgam import artifacts
from guests405 import passed

pytestmark = [pytest.mark.board, pytest.mark.timeout(1800)]
BOOT = 600
CHECKS = ("process", "exec", "pipe", "signal", "kill", "fault", "memory", "timer", "sleep", "file", "arithmetic")
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"kernel": "linux40x:vmlinux-defaults"},
    "prev": {"kernel": "linux40x:vmlinux-defaults", "previrt": True},
    "para": {"kernel": "linux40x:vmlinux-defaults-para", "irfm": True},
}


SHORT = [pytest.param(kind, marks=pytest.mark.full) if kind == "para" else kind for kind in KINDS]


def domain(kind: str) -> dict[str, Any]:
    console = "hvc0" if kind == "para" else "ttyS0,115200"
    words = {"initrd": "linux40x:initrd", "cmdline": f"console={console} amalgam.run=check", "memory": "16M", "power": "board"}
    return KINDS[kind] | words


@pytest.mark.parametrize("kind", SHORT)
def test_its_kernel_memory_is_strict(kind: str) -> None:
    """What makes this Linux another guest than the other tests' is in its configuration."""
    kernel = artifacts.piece(*KINDS[kind]["kernel"].split(":"), print)
    config = (kernel.parent / ".config").read_text(encoding="utf-8").splitlines()
    assert {"CONFIG_STRICT_KERNEL_RWX=y", "CONFIG_PPC_KUAP=y"} <= set(config)


@pytest.mark.parametrize("kind", SHORT)
def test_it_keeps_its_promises_to_programs(fleet: Callable[..., Any], kind: str) -> None:
    with fleet({"system": "defaults", "board": "ref405ep", "domains": {"linux": domain(kind)}}) as board:
        board["linux"].expect("init: check ended with status 0", BOOT)
        assert passed(board["linux"].text, CHECKS)
        assert re.search(r"check: all", board["linux"].text)
        assert board.wait(60) == 0


@pytest.mark.full
def test_all_kinds_share_a_core(fleet: Callable[..., Any]) -> None:
    """Windows of 5 ms end anywhere in stubs, handlers and misses of small pages."""
    windows = [{"domain": kind, "start": f"{5 * i}ms" if i else 0, "length": "5ms"} for i, kind in enumerate(KINDS)]
    frames = [{"core": 0, "length": f"{5 * len(KINDS)}ms", "windows": windows}]
    domains = {kind: domain(kind) for kind in KINDS}
    with fleet({"system": "defaults", "board": "ref405ep", "cores": 1, "frames": frames, "domains": domains}) as board:
        for kind in KINDS:
            board[kind].expect("init: check ended with status 0", BOOT)
        assert all(passed(board[kind].text, CHECKS) for kind in KINDS)
        assert board.wait(60) == 0
