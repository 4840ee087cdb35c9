# SPDX-License-Identifier: MIT
"""The scc shape's image on a plain PC of the fifth family, started by GRUB: a kernel on each core that there is memory for."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from amalgam.board.scc import SLICE
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.system.units import MIB
from support import said

JACOBI = {"kind": "task", "task": "svm", "cores": [0]}
PINGPONG = {"kind": "native", "program": "build:pingpong.elf", "arguments": ["pingpong", "32", "10"], "memory": "256K"}


def system(cores: int, **others: object) -> dict[str, Any]:
    """Messages among so many cores, beside other domains."""
    return {"system": "scc-pc", "board": "scc", "domains": {"pingpong": PINGPONG | {"ues": list(range(cores))}, **others}}


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    build_kernel("scc", lambda _text: None)


def need(cores: int) -> int:
    """Memory for so many cores: what the loader fills, one slice each, and the shared one; and what the firmware keeps of the last MiB."""
    return (cores + 2) * SLICE + MIB


def right(board: Any, cores: int, seconds: float = 240) -> None:
    """Messages through each core's buffer and pages that all share are right."""
    for ue in range(1, cores):
        said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong", seconds)
    if "jacobi" in board.names:
        for model in ("strong", "lazy"):
            said(board, "jacobi", rf"jacobi {model}: 10 iterations on {cores} cores: 0 words differ", seconds)


BOCHS = (pytest.param(4, "bochs", id="4-second-bochs"), pytest.param(8, "bochs", id="8-second-bochs", marks=pytest.mark.full))  # it has 8


@pytest.mark.parametrize("cores, emulator", [(1, ""), (4, ""), *BOCHS])
def test_grub_starts_a_kernel_on_each_core_of_a_pc(boot: Any, cores: int, emulator: str) -> None:
    machine = {"iso": True, "icount": True, "chosen": range(cores), "memory": need(cores)}
    with boot(system(cores, jacobi=JACOBI), emulator=emulator, **machine) as board:
        said(board, "kernel", rf"scc: ACPI lists {cores} cores, there is memory for {cores}; boots: {(1 << cores) - 1:x}")
        said(board, "kernel", r"Amalgam, 1 cores, \d+ MiB free, loaded by multiboot2")
        right(board, cores)
        if cores > 1:
            said(board, "kernel", rf"scc: all {cores} kernels are up")


def test_cores_without_memory_do_not_boot(boot: Any) -> None:
    with boot(system(2, jacobi=JACOBI), iso=True, icount=True, chosen=range(4), memory=need(2)) as board:
        said(board, "kernel", "scc: ACPI lists 4 cores, there is memory for 2; boots: 3\\s")
        said(board, "kernel", "scc: all 2 kernels are up")
        right(board, 2)


def test_a_pc_with_too_little_memory_says_so(boot: Any) -> None:
    with boot(system(1), iso=True, icount=True, chosen=(0,), memory=3 * SLICE) as board:
        said(board, "kernel", r"PANIC: boot: 47 MiB of memory from 1 MiB on, .*: there must be 48")
        said(board, "kernel", r"^\s+[0-9a-f]+ scc_pc\+0x")  # a name of what is freed after boot


def test_a_core_of_a_pc_that_is_reset_waits_and_the_others_go_on(boot: Any) -> None:
    with boot(system(3), iso=True, icount=True, chosen=range(3), memory=need(3)) as board:
        right(board, 3)
        await_monitor(board)
        command(board, "mail 2 3")
        command(board, "reset 2")
        with pytest.raises(UserError, match="refused"):
            command(board, "mail 2 1")
        command(board, "mail 1 3")
        assert "2 of 48 kernels run" in command(board, "kernels")


def test_cores_that_run_at_once_start_as_well(boot: Any) -> None:
    """The lean kernel, by a clock that goes on."""
    kernel = build_kernel("scc-lean", lambda _text: None)
    with boot(system(4), iso=True, chosen=range(4), memory=need(4), kernel=kernel) as board:
        said(board, "kernel", "scc: all 4 kernels are up")
        right(board, 4)
