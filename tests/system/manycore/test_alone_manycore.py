# SPDX-License-Identifier: MIT
"""A thread that computes has its core: each instruction that the core executes meanwhile is the thread's, or belongs to a shoot-down of
TLBs that its own process wants. Counted are all instructions of the hart, those of the firmware too, and entries into the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.build.kernel import build_kernel
from amalgam.measure import clocks, visits
from amalgam.paths import ROOT
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

WINDOWS, SHOTS = 6, 20
OWN = 2 * 0x80000 + 1  # instructions of alone.c between two marks: the turns, and what sets their number
SHOT_MOST = 500  # instructions of an interrupt for a shoot-down
VECTOR = 9  # the mark of each entry into the kernel from a program


@pytest.mark.parametrize("board", BOARDS)
def test_a_thread_that_computes_is_interrupted_by_shoot_downs_of_its_own_process_and_nothing_else(
    running, tmp_path: Path, board: str
) -> None:
    """Beside it: threads of its process, a hostile process in the same cluster, and a cluster that lies and rings everybody."""
    machine = MACHINES["riscv64" if board == "manycore" else "riscv32"]
    program, out = tmp_path / "alone.elf", tmp_path / "clocks"
    words = ["-O2", f"-I{ROOT}/user/programs", str(Path(__file__).with_name("alone.c")), "-o", str(program)]
    assert programs.compile_program(words, programs.toolchain(lambda _text: None, machine), machine) == 0
    symbols = visits.symbols(build_kernel(KERNELS[board].removeprefix("shape:"), lambda _text: None), plain=False)
    process = {"kind": "process", "memory": "512K"}
    alone = process | {
        "program": str(program),
        "arguments": ["alone", str(WINDOWS), str(SHOTS)],
        "cores": [*range(1, 13)],
        "threads": 24,
        "power": "board",
    }
    hostile = process | {"program": "build:hostile.elf", "arguments": ["hostile", "100000000"], "cores": [13, 14], "threads": 8}
    system = {
        "system": "alone",
        "board": board,
        "kernel": KERNELS[board],
        "clusters": {
            "io": {"kind": "io", "harts": 15, "domains": {"alone": alone, "hostile": hostile}},
            "liar": {"kernel": "build:liar.elf", "cmdline": "seed=7 rings=5"},
        },
    }
    with running(system, clocks.options(out, places={symbols["user_vector"]: VECTOR})) as started:
        assert started.wait(300) == 0
        assert "alone: all has ended" in started.consoles[0].text
    found = clocks.read(out)
    quiet, shot = found.spans(1, 2, WINDOWS), found.spans(3, 4)
    assert [span.own for span in quiet] == [OWN] * WINDOWS
    others = sum(span.all - span.own for span in quiet)  # the emulator gives turns: in one window they may have none
    assert others > WINDOWS * OWN, f"the others have stood still: {[span.all for span in quiet]}"
    (hart,) = {mark.hart for mark in found.marks if mark.number in (1, 2, 3, 4)}
    own = [mark.number for mark in found.marks if mark.hart == hart]
    begin, end = own.index(1), len(own) - own[::-1].index(4)
    assert own[begin:end].count(VECTOR) == SHOTS
    assert sum(span.own - OWN for span in shot) <= SHOTS * SHOT_MOST
