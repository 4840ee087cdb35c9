# SPDX-License-Identifier: MIT
"""A core of a program is reset: the others get an error, or end, and what all of them do together then is right again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amalgam.board.machine import machine_for
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from amalgam.scc.boot import booted
from amalgam.scc.images import Images
from amalgam.scc.merge import merge
from rcce_process import compiled as rcce_compiled
from rcce_process import line
from rcce_process import process as rcce_process
from support import said
from test_svm_processes import compiled, process
from turns import turn

CHOSEN, CORES, AGAIN, DEAD = (0, 5, 17, 46), (5, 17, 46), (0, 5, 17), 17


def test_after_a_reset_all_cores_calls_are_right_again(images: Any, tmp_path: Path) -> None:
    """On pages of three models and under two locks, which the dead core's partners held or waited for."""
    build_kernel("scc-process", lambda _text: None)
    domains = {"anew": process(compiled("anew", tmp_path), list(CORES), "64K")}
    system, image = images.get({"system": "svm-anew", "board": "scc", "domains": domains})
    folder = tmp_path / "merged"
    merge(machine_for(system, image), {"system": "svm-anew", "domains": ["anew"]}, folder)
    with turn(shared=True), booted(Images(folder), CHOSEN, icount=True) as running:
        board = running.board
        for rank, core in enumerate(CORES):
            said(board, *line(core, "anew", f"anew: rank {rank}: life 1"))
        running.reset([DEAD])
        for rank, core in enumerate(CORES):
            if core != DEAD:
                said(board, *line(core, "anew", rf"anew: rank {rank}: error -110"))
            said(board, *line(core, "anew", rf"anew: rank {rank} of {len(CORES)}: at the end 0, 0 wrong"), 300)
        assert "PANIC" not in board.kernel.text


def test_after_a_reset_a_program_runs_again(images: Any, tmp_path: Path) -> None:
    """One with RCCE, whose lock the dead core had: it ends on the other cores when one is reset, and is started again there, too."""
    build_kernel("scc-process", lambda _text: None)
    domains = {"again": rcce_process(rcce_compiled("again", tmp_path), list(AGAIN))}
    system, image = images.get({"system": "rcce-again", "board": "scc", "domains": domains})
    folder = tmp_path / "merged"
    merge(machine_for(system, image), {"system": "rcce-again", "domains": ["again"]}, folder)
    with turn(), booted(Images(folder), AGAIN) as running:
        board = running.board
        for ue, core in enumerate(AGAIN):
            said(board, *line(core, "again", f"again: UE {ue}: waits"))
        running.reset([DEAD])
        said(board, "again", f"rcce: the kernel of core {DEAD} is dead")
        said(board, "kernel", "core 5: .*domain again: done: exit status 125")
        running.reset([5])  # the program that waits on core 17 goes on: they have not met
        command(board, "start again")
        for ue, core in enumerate(AGAIN):
            said(board, *line(core, "again", f"again: UE {ue}: 0 wrong"))
        assert board.kernel.text.count("domain again: done: exit status 125") == 2
