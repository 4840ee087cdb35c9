# SPDX-License-Identifier: MIT
"""AMD-V on Bochs, in the long run: each way out of a guest, attackers, the layer beneath the kernel, Debian's Linux on two vCPUs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell, run_command
from amalgam.build.kernel import build_kernel
from second import FAST
from support import said
from test_hostile import KINDS, attack, attacked
from test_self_virtualization import ONE_CORE

pytestmark = [pytest.mark.beside, pytest.mark.full]

STEPS = 1_000
GUEST = {"boot": "pvh", "memory": "16M", "cores": [0], "devices": [{"type": "uart"}]}


def test_each_way_out_of_a_guest_is_measured_to_its_end(boot: Any, record_property: Any) -> None:
    guest = GUEST | {"kernel": "build:exits.elf", "cmdline": "n=100", "hypercalls": True}
    system = {"system": "second-exits", "board": "q35", "cores": 1, "memory": "256M", "domains": {"g": guest}}
    with boot(system, emulator="bochs", **FAST["bochs"]) as board:
        board["g"].expect(r"exits: done", 120)
        ticks = re.findall(r"bench exits (\S+) \d+ (\d+) 100\r?\n", board["g"].text)
    assert {"hypercall", "cpuid", "msr", "pio", "yield", "inject", "nested-fault"} <= {name for name, _ in ticks}
    record_property("summary", "AMD-V on Bochs, ticks: " + ", ".join(f"{name} {median}" for name, median in ticks))


def test_neighbours_of_an_attacker_of_each_kind_compute_on_by_amd_v(boot: Any, tmp_path: Path) -> None:
    """The neighbours leave CR2 out, which VMRUN does not load there (docs/boards.md)."""
    kinds = [kind for kinds, _ in KINDS for kind in kinds]
    system = attacked(tmp_path, ",".join(kinds), STEPS, STEPS // 5, 1, watchdog="200ms", mib=1, more="cr2=0", how="xcr0=1")
    with boot(system | {"system": "second-hostile"}, emulator="bochs", **FAST["bochs"]) as board:
        attack(board, kinds, STEPS, 300, lambda _text: None, mib=1)


def test_the_kernel_slips_a_layer_beneath_itself_and_takes_it_out(boot: Any) -> None:
    build_kernel("selfvirt", lambda _text: None)
    with boot(ONE_CORE | {"system": "second-self"}, emulator="bochs") as board:
        await_monitor(board)
        for order, kind in (("attach", "virtual"), ("detach", "native")) * 2:
            command(board, order)
            assert f"on its {kind} object" in command(board, "self")
        for name in ("jacobi", "jacobi1"):
            assert int(said(board, name, r"bench jacobi error-e9-0 (\d+)", 120)[1]) < 1000


def test_linux_on_two_vcpus_answers_by_amd_v(boot: Any) -> None:
    """Beside a partition with windows."""
    with boot("debian", emulator="bochs", **FAST["bochs"]) as board:
        await_shell(board["linux"], 1500)
        assert run_command(board["linux"], "nproc", 60) == ("2\n", 0)
