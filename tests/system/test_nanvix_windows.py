# SPDX-License-Identifier: MIT
"""Programs of libnanvix beside a Linux that has windows of their core."""

from __future__ import annotations

from typing import Any

from support import processes, said, says
from test_nanvix import ENDS, system


def test_programs_run_beside_linux_in_windows(boot: Any) -> None:
    """They share one core with its windows and have what is left of another; calls to other clusters answer as where there is one."""
    made = processes(*(name for name in processes()["domains"] if name not in ("asker", "linux")))
    made["domains"] |= system("q35", "nanvix", (*ENDS,))["domains"]
    made["domains"]["linux"]["cores"] = [1]
    windows = [{"domain": "linux", "start": 0, "length": "7ms"}, {"domain": "shared", "start": "7ms", "length": "3ms"}]
    made["frames"] = [{"core": 1, "length": "10ms", "windows": windows}]
    with boot(made) as board:
        for name, status in ENDS.items():
            end = said(board, "kernel", rf"domain {name}: (.*?)\r*\n", 240)[1]
            assert (end, f"{name}: right" in board[name].text) == (f"done: exit status {status}", True), board[name].text
        says(board, "asker", r"tunnel: ping n=\d+ wrong=0 ", 240)
