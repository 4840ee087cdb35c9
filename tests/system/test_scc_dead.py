# SPDX-License-Identifier: MIT
"""One of a program's cores dies while the others wait for it: the program ends there, too, and says which one (docs/scc.md)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import compile_program, toolchain
from amalgam.scc.fleet import BootedFleet
from rcce_process import HERE, compiled, process
from support import said
from test_svm_processes import compiled as compiled_alone

CHOSEN, CORES, DEAD = (0, 5, 17, 46), (5, 17, 46), 17  # core 0 prints what they say
PATIENCE_S = 5  # SCC_PATIENCE


def program(folder: Path, kind: str) -> dict[str, Any]:
    if kind == "process":
        return process(compiled("waits", folder), list(CORES))
    made = folder / "waits.elf"
    assert compile_program(["-O2", "-Wall", "-Werror", str(HERE / "waits.c"), "-o", str(made)], toolchain(lambda _text: None)) == 0
    return {"kind": "native", "program": str(made), "arguments": ["waits"], "ues": list(CORES), "memory": "512K"}


def begun(board: Any) -> None:
    for ue, core in enumerate(CORES):
        said(board, "kernel", rf"core {core}: .*waits: UE {ue}\s")


def ended(board: Any) -> None:
    for core in (5, 46):
        said(board, "kernel", f"core {core}: .*rcce: the kernel of core {DEAD} is dead: the program ends here, too")
        said(board, "kernel", rf"core {core}: .*domain waits: done: exit status 125\s")


@pytest.mark.parametrize("kind", ["native", "process"])
def test_a_killed_core_of_a_fleet_ends_the_program_on_the_other_cores(boot: Any, tmp_path: Path, kind: str) -> None:
    """It is told by its heartbeat; the program computes there when it happens."""
    build_kernel("scc-process", lambda _text: None)
    with boot({"system": "dead", "board": "scc-fleet", "domains": {"waits": program(tmp_path, kind)}}, chosen=CHOSEN) as board:
        begun(board)
        killed = time.monotonic()
        board.kill(DEAD)
        ended(board)
        assert killed + PATIENCE_S - 1 < time.monotonic() < killed + PATIENCE_S + 5 * SCALE


def test_a_core_of_a_fleet_that_starts_again_ends_the_program_on_the_other_cores(boot: Any, tmp_path: Path) -> None:
    """However soon its next kernel is up: the others look once a second, and may see no moment at which none is."""
    build_kernel("scc-process", lambda _text: None)
    with boot({"system": "dead", "board": "scc-fleet", "domains": {"waits": program(tmp_path, "process")}}, chosen=CHOSEN) as board:
        begun(board)
        BootedFleet(board).reset([DEAD])
        ended(board)
        assert f"core {DEAD}: [waits] rcce:" not in board.kernel.text  # its next life waits for them


def test_a_core_that_is_reset_ends_a_process_on_the_other_cores(boot: Any, tmp_path: Path) -> None:
    build_kernel("scc-process", lambda _text: None)
    with boot({"system": "dead", "board": "scc", "domains": {"waits": program(tmp_path, "process")}}, chosen=CHOSEN) as board:
        begun(board)
        command(board, f"reset {DEAD}")
        ended(board)


@pytest.mark.parametrize("how", ["poll", "interrupt"])
def test_who_waits_for_mail_for_ever_is_told_of_a_core_that_is_reset(boot: Any, tmp_path: Path, how: str) -> None:
    build_kernel("scc-process", lambda _text: None)
    hears = process(compiled_alone("hears", tmp_path), list(CORES), {"poll": "0", "interrupt": "1"}[how])
    with boot({"system": "hears", "board": "scc", "domains": {"hears": hears}}, chosen=CHOSEN) as board:
        for core in CORES:
            said(board, "kernel", rf"core {core}: .*hears: waits")
        command(board, f"reset {DEAD}")
        for core in (5, 46):
            said(board, "kernel", rf"core {core}: .*hears: result -19")
