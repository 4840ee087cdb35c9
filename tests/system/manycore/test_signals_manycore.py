# SPDX-License-Identifier: MIT
"""Signals and alarms of processes in clusters (tests/programs/signals.c, masks.c, turns.c), as in test_signals.py: without the instruction counter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import compile_program, toolchain
from manycores import BOARDS, KERNELS

SAID = {
    "signals": r"^signals: (right)\r*\n",
    "turns": r"^turns: (right)\r*\n",
    "contexts": r"^contexts: (right)\r*\n",
    "masks": r"^masks: (right)\r*\n",
    "signals stack": r"(domain program: fault: thread 1: no stack for a signal at image\+[0-9a-f]+, address [0-9a-f]+)\r*\n",
}


def cluster(kind: str, words: str) -> dict[str, Any]:
    process = {"kind": "process", "program": f"build:{words.split()[0]}.elf", "arguments": words.split(), "memory": "256K", "threads": 3}
    return {"kind": kind, "harts": 3, "domains": {"program": process}}


@pytest.mark.parametrize("board", BOARDS)
def test_signals_and_alarms_do_what_they_promise_in_a_cluster(running: Any, board: str) -> None:
    layout = {f"c{i}": cluster("compute" if i else "io", words) for i, words in enumerate(SAID)}
    system = {"system": "signals", "board": board, "kernel": KERNELS[board], "clusters": layout}
    with running(system, icount=False) as started:
        for name, said in zip(started.names, SAID.values(), strict=True):
            started[name].expect(said, 120)
        started[started.names[0]].expect(r"domain program: done: exit status 0", 120)


@pytest.mark.parametrize("board", BOARDS)
def test_signals_end_calls_between_clusters_and_nothing_is_lost(clusters: Any, tmp_path: Path, board: str) -> None:
    machine = MACHINES["riscv64" if board == "manycore" else "riscv32"]
    made = tmp_path / "signalled.elf"
    words = ["-O2", "-Wall", "-Werror", str(Path(__file__).with_name("signalled.c")), "-o", str(made)]
    assert compile_program(words, toolchain(lambda _text: None, machine), machine) == 0
    process = {"kind": "process", "program": str(made), "memory": "256K", "threads": 2}
    kinds = {"c0": ("io", {"threads": 2, "power": "board"}), "c1": ("compute", {})}
    layout = {n: {"kind": kind, "harts": 4, "dma": True, "domains": {"program": process | more}} for n, (kind, more) in kinds.items()}
    done = clusters({"system": "signalled", "board": board, "kernel": KERNELS[board], "clusters": layout}, timeout=30)
    assert "signalled: 6 calls were ended by signals and made again" in done["c0"].text, done["c0"].text
    assert "signalled: 100 messages in their order" in done["c1"].text, done["c1"].text
