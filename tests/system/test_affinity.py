# SPDX-License-Identifier: MIT
"""Threads of a process on the cores that it asks for, and threads that wait for one."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from amalgam import paths
from support import said


def test_a_thread_runs_on_the_core_that_was_asked_for(boot: Any) -> None:
    system = yaml.safe_load((paths.SYSTEMS / "processes.yaml").read_text(encoding="utf-8"))
    alone = system["domains"]["threads"] | {"program": "build:affinity.elf", "arguments": ["affinity"]}
    with boot({key: system[key] for key in ("system", "board", "cores", "memory")} | {"domains": {"affinity": alone}}) as board:
        assert said(board, "affinity", r"affinity: (right|WRONG)").group(1) == "right"
        for core in (0, 1):  # five threads, of which the first one waits for the others
            said(board, "affinity", rf"core {core}: 2 threads, 0 of them elsewhere")


@pytest.mark.parametrize("name", ["processes", "i586-processes"])
def test_threads_that_wait_for_a_place_begin_in_their_order(boot: Any, name: str) -> None:
    system = yaml.safe_load((paths.SYSTEMS / f"{name}.yaml").read_text(encoding="utf-8"))
    alone = system["domains"]["threads"] | {"program": "build:queued.elf", "arguments": ["queued"], "memory": "1M"}
    head = {key: system[key] for key in ("system", "board", "cores", "memory") if key in system}
    with boot(head | {"domains": {"queued": alone}}, icount=True) as board:
        said(board, "queued", rf"^queued: {alone['threads']} places: right")
