# SPDX-License-Identifier: MIT
"""Processors that cannot do what the pc kernel needs, as Bochs models them: each is told why, and nothing resets."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import SCALE
from second import SLOW
from support import said

pytestmark = pytest.mark.beside

GUEST = {"boot": "pvh", "kernel": "build:prefixed.elf", "memory": "16M", "devices": [{"type": "uart"}]}
SYSTEM = {"system": "second-refusals", "board": "q35", "cores": 1, "memory": "128M", "domains": {"guest": GUEST}}
NO_LONG_MODE = "this processor has no long mode (64 bits) with NX: this kernel cannot run on it"


@pytest.mark.parametrize(
    "cpu, why", [("turion64_tyler", "amdv: AMD-V is without nested paging"), ("athlon64_venice", "amdv: this processor has no AMD-V")]
)
def test_guests_are_refused_where_the_processor_cannot_host_them(boot: Any, cpu: str, why: str) -> None:
    with boot(SYSTEM, emulator="bochs", cpu=cpu, **SLOW["bochs"]) as board:
        said(board, "kernel", why)
        said(board, "kernel", "domain guest: could not start")


@pytest.mark.full
@pytest.mark.parametrize("cpu", ["corei7_skylake_x", "tigerlake", "core2_penryn_t9600", "p4_prescott_celeron_336"])
def test_native_tasks_run_where_no_guest_does(boot: Any, cpu: str) -> None:
    """Two that switch, and two whose floating point shares a core, on processors of another maker."""
    system = yaml.safe_load((paths.SYSTEMS / "native.yaml").read_text(encoding="utf-8")) | {"system": "second-native"}
    with boot(system, emulator="bochs", cpu=cpu, **SLOW["bochs"]) as board:
        said(board, "kernel", "amdv: this processor has no AMD-V")
        said(board, "kernel", "domain guest: could not start")
        said(board, "switch", r"bench context-switch yield-max \d+", 120)
        steps = {said(board, name, r"bench jacobi iterations-0 (\d+)", 120)[1] for name in ("jacobi", "jacobi2")}
        assert len(steps) == 1
        assert int(said(board, "jacobi", r"bench jacobi error-e9-0 (\d+)")[1]) < 1000


def test_a_processor_without_long_mode_gets_a_sentence(boot: Any) -> None:
    """On the first port: there is no kernel yet that could have a channel. It was a triple fault."""
    with boot(SYSTEM, emulator="bochs", cpu="atom_n270", **SLOW["bochs"]) as board:
        deadline = time.monotonic() + 60 * SCALE
        while not board.log.is_file() or NO_LONG_MODE not in board.log.read_text(errors="replace"):
            assert not board.ended() and time.monotonic() < deadline, board.ended()
            time.sleep(0.1)
