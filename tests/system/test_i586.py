# SPDX-License-Identifier: MIT
"""The core on Pentiums without MMX (P54C): the same kernel in 32 bits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from amalgam.build.p54c import newer
from second import SLOW
from support import after, listed, said

SHAPES = ["i586", "i586-hardware"]  # threads are switched in software, or by the processor's tasks
MACHINES = [
    pytest.param(("i586", ""), id="i586"),
    pytest.param(("i586-hardware", ""), id="i586-hardware"),
    pytest.param(("i586", "bochs"), id="i586-second-bochs"),
    pytest.param(("i586-hardware", "bochs"), id="i586-hardware-second-bochs", marks=pytest.mark.full),
]
# Nearly all of the frame is the solvers': what nobody uses is the host's time on Bochs.
WINDOWS = [
    {"domain": "jacobi", "start": 0, "length": "4500us"},
    {"domain": "jacobi2", "start": "4500us", "length": "4500us"},
    {"domain": "shared", "start": "9ms", "length": "1ms"},
]


@pytest.fixture(scope="module", params=MACHINES)
def board(boot_module: Any, request: pytest.FixtureRequest) -> Iterator[Board]:
    shape, emulator = request.param
    system = yaml.safe_load((paths.SYSTEMS / "i586.yaml").read_text()) | {"board": shape}
    system["frames"][0]["windows"] = WINDOWS
    with boot_module(system, icount=True, emulator=emulator, **SLOW[emulator]) as board:
        yield board


def test_it_boots_on_pentiums_and_the_monitor_answers(board: Board) -> None:
    said(board, "kernel", r"Amalgam, 2 cores, \d+ MiB free, loaded by (PVH|multiboot2)")
    said(board, "kernel", r"boot: \d+ KiB of initialization text freed")
    assert {listed(board, name)["kind"] for name in ("jacobi", "switch")} == {"task"}
    assert re.search(r"\d+ KiB free", command(board, "mem"))


def test_tasks_switch(board: Board) -> None:
    """By the end of the slice, and by yielding: 2,000 gaps each."""
    said(board, "switch", r"bench context-switch yield-max \d+")
    text = board["switch"].text
    for phase in ("hourglass", "yield"):
        low, middle = (int(re.search(rf"bench context-switch {phase}-{row} (\d+)", text)[1]) for row in ("min", "median"))  # type: ignore[index]
        assert 0 < low <= middle
        assert len(re.findall(rf"gaps context-switch {phase} \d+( \d+){{8}}", text)) == 250


@pytest.mark.parametrize("name", ["jacobi", "jacobi2"])
def test_the_x87_survives_switches_between_windows(board: Board, name: str) -> None:
    """Each solver owns a window of core 0 and must find the solution, to the nanounit, in as many steps as the other."""
    assert int(said(board, name, r"bench jacobi error-e9-0 (\d+)")[1]) < 1000
    steps = {int(said(board, other, r"bench jacobi iterations-0 (\d+)")[1]) for other in ("jacobi", "jacobi2")}
    assert len(steps) == 1


def test_a_wild_read_ends_its_domain_with_a_backtrace(board: Board) -> None:
    said(board, "kernel", "domain switch: done")
    after(board, "start reader", "kernel", "domain reader: fault: page fault in thread reader")
    said(board, "kernel", r"FAULT: page fault")
    said(board, "kernel", r"eip [0-9a-f]+ esp [0-9a-f]+ flags [0-9a-f]+ vector 14 error 0 cr2 1000 ")
    chain = (r"read_nowhere\+0x[0-9a-f]+", r"body\+0x[0-9a-f]+", r"thread_begin\+0x[0-9a-f]+", r"context_start\+0x[0-9a-f]+")
    said(board, "kernel", r"\s+\S+ ".join(chain))


@pytest.mark.parametrize("turn", [1, 2])
def test_a_stack_overflow_is_a_double_fault_with_a_name_each_time(board: Board, turn: int) -> None:
    """The task of double faults is free again for the next one."""
    said(board, "kernel", "domain switch: done")
    after(board, "start grower", "kernel", "domain grower: fault: kernel stack overflow in thread grower")
    assert len(re.findall(r"FAULT: kernel stack overflow", board.kernel.text)) >= turn
    said(board, "kernel", r"outgrow(\.\S+)?\+0x[0-9a-f]+")
    assert listed(board, "grower")["end"].startswith("fault")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_kernel_has_no_instruction_beyond_a_p54c(shape: str) -> None:
    assert newer(build_kernel(shape, lambda _text: None)) == []


def test_a_kernel_compiled_for_a_newer_processor_is_noticed(tmp_path: Path) -> None:
    """The check sees what -march=i686 makes of a choice."""
    source = tmp_path / "choice.c"
    source.write_text("".join(f"int f{i}(int a, int b) {{ return a < b ? a : b + {i}; }}\n" for i in range(1500)))
    words = ["i686-linux-gnu-gcc", "-O2", "-march=i686", "-fno-pic", "-nostdlib", "-r", str(source), "-o", str(tmp_path / "choice.o")]
    subprocess.run(words, check=True)
    assert any("cmov" in line for line in newer(tmp_path / "choice.o"))
