# SPDX-License-Identifier: MIT
"""The RISC-V kernel under OpenSBI on as many harts as it has places for."""

from __future__ import annotations

import re
from typing import Any

from amalgam.board.monitor import command
from support import said


def test_sixty_four_harts_are_up_and_a_program_runs_on_the_last_ones(boot: Any) -> None:
    """As many as the kernel has places for; the firmware starts them one by one, and a program's threads are on the last two."""
    program = {"kind": "process", "program": "build:affinity.elf", "memory": "256K", "threads": 5, "cores": [62, 63]}
    with boot({"system": "many", "board": "virt", "cores": 64, "domains": {"affinity": program}}, icount=True) as many:
        said(many, "kernel", r"Amalgam, 64 cores, \d+ MiB free, loaded by SBI")
        assert said(many, "affinity", r"affinity: (right|WRONG)")[1] == "right"
        assert re.findall(r"cpu (\d+) online", command(many, "cpus")) == [str(n) for n in range(64)]
