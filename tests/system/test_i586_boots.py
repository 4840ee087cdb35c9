# SPDX-License-Identifier: MIT
"""Other machines that the 32-bit kernel starts on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from support import said


@pytest.fixture(scope="session", autouse=True)
def i586() -> Path:
    return build_kernel("i586", lambda _text: None)


SOLVER = {
    "system": "i586-solver",
    "board": "i586",
    "cores": 1,
    "memory": "128M",
    "domains": {"jacobi": {"kind": "task", "task": "jacobi", "cores": [0]}},
}


@pytest.mark.parametrize(
    ("how", "machine"),
    [
        ("PVH", {"machine": "pc"}),  # no I/O APIC but by the old chip set's tables
        ("PVH", {"cpu": "qemu32"}),  # a processor of the sixth family
        ("PVH", {"cpu": "qemu32", "memory": 4 << 30}),  # more memory than there are addresses for
        ("multiboot2", {"iso": True}),  # GRUB
    ],
    ids=["pc", "family-6", "4-gib", "grub"],
)
def test_it_boots(boot: Any, how: str, machine: dict[str, Any]) -> None:
    with boot(SOLVER, icount=True, **machine) as board:
        said(board, "kernel", rf"Amalgam, 1 cores, \d+ MiB free, loaded by {how}")
        assert int(said(board, "jacobi", r"bench jacobi error-e9-0 (\d+)")[1]) < 1000


def test_a_guest_in_ring_1_runs_where_grub_has_started_the_kernel(boot: Any) -> None:
    made = {"system": "ring1-grub", "board": "i586-linux", "cores": 1, "domains": {"hello": {"kernel": "build:hello.elf", "memory": "4M"}}}
    with boot(made, icount=True, iso=True) as board:
        said(board, "kernel", r"Amalgam, 1 cores, \d+ MiB free, loaded by multiboot2")
        said(board, "hello", "hello from ring 1")
