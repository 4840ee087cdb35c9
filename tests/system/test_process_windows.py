# SPDX-License-Identifier: MIT
"""Windows stay on time beside processes that talk and die."""

from __future__ import annotations

from typing import Any

from support import processes, said, says

LATE = 5_000  # ns by counted instructions, of which a window's begin takes some 500


def test_windows_stay_on_time_beside_processes_that_talk_and_die(boot: Any) -> None:
    """By counted instructions, and so on one core: of two cores the emulator stops one while it runs the other."""
    made = processes("neighbour", "hello", "threads", "maps", "fault", "spin", "linux", "asker")
    made["domains"]["phoenix"]["arguments"] = ["phoenix", "null"]
    made["domains"]["ping"]["arguments"] = ["tunnel", "ping", "0", "0"]
    made["domains"]["rt"]["cmdline"] = "mode=window report=100"
    for domain in made["domains"].values():
        domain["cores"] = [0]
    with boot(made | {"cores": 1, "frames": [made["frames"][0] | {"core": 0}]}, icount=True) as board:
        late = says(board, "rt", r"rt: window late n=100 .* max=(\d+) ns", 300)
        assert int(late[1]) < LATE and "missed" not in board["rt"].text, board["rt"].text
        said(board, "ping", r"tunnel: ping n=\d+ wrong=0 ")
        assert board.kernel.text.count("domain phoenix: fault") > 3
