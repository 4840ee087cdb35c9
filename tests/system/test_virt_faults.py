# SPDX-License-Identifier: MIT
"""The RISC-V kernel: a fault in kernel code prints itself and ends the domain that it happened for, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from support import said

FAULTS = {
    "system": "virt-faults",
    "board": "virt",
    "cores": 2,
    "domains": {
        "reader": {"kind": "task", "task": "fault", "cores": [1]},
        "grower": {"kind": "task", "task": "overflow", "cores": [0]},
        "jacobi": {"kind": "task", "task": "jacobi", "cores": [1]},
    },
}


@pytest.fixture(scope="session", autouse=True)
def virt() -> Path:
    return build_kernel("virt", lambda _text: None)


def test_faults_end_their_domain_and_say_where(boot: Any) -> None:
    with boot(FAULTS, icount=True) as board:
        said(board, "kernel", r"FAULT: load page fault\r*\non cpu 1, thread reader, domain reader")
        said(board, "kernel", r"cause d value 1000\r*\n")
        said(board, "kernel", r"  [0-9a-f]{16} read_nowhere\S*\+0x[0-9a-f]+\r*\n  [0-9a-f]{16} body\S*\+0x")
        said(board, "kernel", r"domain reader: fault: load page fault in thread reader")
        said(board, "kernel", r"FAULT: kernel stack overflow\r*\non cpu 0, thread grower")
        said(board, "kernel", r"(  [0-9a-f]{16} outgrow\S*\+0x[0-9a-f]+\r*\n){20}")
        said(board, "kernel", r"domain grower: fault: kernel stack overflow in thread grower")
        said(board, "jacobi", r"bench jacobi error-e9-0 0")
        board.kernel.send("quit\n")
        assert board.wait(60) == 0


def test_a_hart_without_svnapot_has_no_pages_of_64_kib(boot: Any) -> None:
    process = {"kind": "process", "program": "build:large.elf", "arguments": ["large", "64k"], "threads": 2, "memory": "12M"}
    with boot({"system": "no-svnapot", "board": "virt", "cores": 1, "domains": {"large": process}}, icount=True, cpu="rv64") as started:
        said(started, "large", r"large: there are none\r*\n")
        said(started, "kernel", "domain large: done: exit status 0")
