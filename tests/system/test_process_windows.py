# SPDX-License-Identifier: MIT
"""Windows stay on time beside processes that talk and die."""

from __future__ import annotations

from typing import Any

import pytest
from second import EMULATOR, MAKERS
from support import processes, said, says

# ns by counted instructions, of which a window's begin takes some 500: one is 1 ns on QEMU, 4 on Bochs
LATE = {"q35": 5_000, "bochs-intel": 20_000}
WINDOWS = {"q35": 100, "bochs-intel": 40}


@pytest.mark.parametrize("board", MAKERS)
def test_windows_stay_on_time_beside_processes_that_talk_and_die(boot: Any, board: str) -> None:
    """By counted instructions, and so on one core: of two cores the emulator stops one while it runs the other."""
    made = processes("neighbour", "hello", "threads", "maps", "fault", "spin", "linux", "asker")
    made["domains"]["phoenix"]["arguments"] = ["phoenix", "null"]
    made["domains"]["ping"]["arguments"] = ["tunnel", "ping", "0", "0"]
    made["domains"]["rt"]["cmdline"] = f"mode=window report={WINDOWS[board]}"
    for domain in made["domains"].values():
        domain["cores"] = [0]
    made |= {"board": board, "cores": 1, "frames": [made["frames"][0] | {"core": 0}]}
    with boot(made, emulator=EMULATOR[board], **({} if EMULATOR[board] else {"icount": True})) as b:
        late = says(b, "rt", rf"rt: window late n={WINDOWS[board]} .* max=(\d+) ns", 300)
        assert int(late[1]) < LATE[board] and "missed" not in b["rt"].text, b["rt"].text
        said(b, "ping", r"tunnel: ping n=\d+ wrong=0 ")
        assert b.kernel.text.count("domain phoenix: fault") > 3
