# SPDX-License-Identifier: MIT
"""The kernel that checks the VMCB before every entry (config/checked.config): guests run on it, and what is wrong it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command
from amalgam.build.kernel import build_kernel
from support import said

GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}], "hypercalls": True}


@pytest.fixture(scope="module")
def checked() -> Path:
    return build_kernel("checked", lambda _text: None)


def test_guests_run_on_it_and_a_broken_rule_is_named(boot: Any, checked: Path) -> None:
    domains = {
        "events": GUEST | {"kernel": "build:events.elf", "vcpus": 2, "cores": [0, 1], "devices": [{"type": "uart"}, {"type": "pc"}]},
        "prefixed": GUEST | {"kernel": "build:prefixed.elf"},
        "refused": GUEST | {"kernel": "build:refused.elf", "cmdline": "gp=1", "hypercalls": False, "kvm": False},
        "registers": GUEST | {"kernel": "build:registers.elf", "cmdline": "rounds=20"},
        "crash": GUEST | {"kernel": "build:crash.elf", "cmdline": "mode=state"},
    }
    with boot({"system": "checked", "board": "q35", "cores": 2, "memory": "256M", "domains": domains}, kernel=checked) as board:
        assert said(board, "events", r"events: done, (\d+) wrong")[1] == "0"
        assert said(board, "prefixed", r"prefixed: (\w+),")[1] == "ok"
        assert said(board, "refused", r"refused: (.*) instructions")[1] == "ok, 175"  # in each mode of the processor
        assert said(board, "registers", r"registers: mark=1 (\w+),")[1] == "ok"
        assert said(board, "kernel", r"domain crash: fault: vcpu 0: (.*?)\r*\n")[1] == "CR0.NW without CR0.CD"


@pytest.mark.full
def test_debian_runs_on_it(boot: Any, checked: Path) -> None:
    with boot("debian", kernel=checked) as board:
        await_shell(board["linux"], 500)
        assert run_command(board["linux"], "uname -s", 60) == ("Linux\n", 0)
