# SPDX-License-Identifier: MIT
"""Signals and alarms of processes in clusters (user/programs/signals.c), as in test_signals.py: without the instruction counter."""

from __future__ import annotations

from typing import Any

import pytest
from manycores import BOARDS, KERNELS

SAID = {
    "signals": r"^signals: (right)\r*\n",
    "signals stack": r"(domain program: fault: thread 1: no stack for a signal at image\+[0-9a-f]+, address [0-9a-f]+)\r*\n",
}


def cluster(kind: str, words: str) -> dict[str, Any]:
    process = {"kind": "process", "program": "build:signals.elf", "arguments": words.split(), "memory": "256K", "threads": 3}
    return {"kind": kind, "harts": 3, "domains": {"program": process}}


@pytest.mark.parametrize("board", BOARDS)
def test_signals_and_alarms_do_what_they_promise_in_a_cluster(running: Any, board: str) -> None:
    layout = {f"c{i}": cluster("compute" if i else "io", words) for i, words in enumerate(SAID)}
    system = {"system": "signals", "board": board, "kernel": KERNELS[board], "clusters": layout}
    with running(system, icount=False) as started:
        for name, said in zip(started.names, SAID.values(), strict=True):
            started[name].expect(said, 120)
        started[started.names[0]].expect(r"domain program: done: exit status 0", 120)
