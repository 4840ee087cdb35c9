# SPDX-License-Identifier: MIT
"""RCCE in processes of an SCC under the coherence checker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amalgam.measure import coherence
from rcce_process import compiled, line, process
from support import said
from test_rcce import BUFFERS


def test_the_checker_finds_nothing_in_a_storm_of_processes(boot: Any, tmp_path: Path) -> None:
    """Barriers and messages with checksums, on lines of MPBT memory that the processes reach themselves."""
    out, cores, barriers, messages = tmp_path / "coherence.txt", [0, 5, 47], 40, 100
    domains = {"storm": process(compiled("storm", tmp_path), cores, str(barriers), str(messages))}
    made = {"system": "storm-process", "board": "scc", "domains": domains}
    with boot(made, icount=True, chosen=cores, extra=coherence.options(out, f"mpbt={BUFFERS}")) as board:
        for ue, core in enumerate(cores):
            said(board, *line(core, "storm", rf"storm: UE {ue} of {len(cores)}: {barriers} barriers, {messages} messages, 0 wrong"))
    found = coherence.read(out)
    assert found.accesses > len(cores) * messages * 10
    assert found.kinds() == {}
