# SPDX-License-Identifier: MIT
"""A core of a program is reset: the others get an error, or end, and what all of them do together then is right again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amalgam.board.machine import machine_for
from amalgam.kernel import build_kernel
from amalgam.scc.boot import booted
from amalgam.scc.images import Images
from amalgam.scc.merge import merge
from rcce_process import line
from support import said
from test_svm_processes import compiled, process
from turns import turn

CHOSEN, CORES, DEAD = (0, 5, 17, 46), (5, 17, 46), 17


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
            said(board, *line(core, "anew", f"anew: rank {rank}: life 1"), 120)
        running.reset([DEAD])
        for rank, core in enumerate(CORES):
            if core != DEAD:
                said(board, *line(core, "anew", rf"anew: rank {rank}: error -110"), 120)
            said(board, *line(core, "anew", rf"anew: rank {rank} of {len(CORES)}: at the end 0, 0 wrong"), 300)
        assert "PANIC" not in board.kernel.text
