# SPDX-License-Identifier: MIT
"""A guest does its worst (guests/hostile); its neighbours compute on, to the bit and in time, and the kernel answers.

10,000 steps of each kind; with --full also 1,000,000 of each, a kind a test, which takes hours (progress is printed).
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from neighbour import check_neighbour
from support import says

# In the attacker's order, with how many steps in a short run: those of the last take dozens of interrupts each.
KINDS = [(["priv", "mmio", "pio", "msr", "hypercall", "virtq", "pagetable"], 10_000), (["ipi", "irq", "user"], 2_000)]
MILLION = 1_000_000


def attacked(
    folder: Path, kinds: str, n: int, deadly: int, vcpus: int, watchdog: str = "5s", mib: int = 4, more: str = "", how: str = ""
) -> dict[str, Any]:
    """The attacker, with the words `how`, shares core 1 by windows with `near`; `far` has core 0. Both sum up `mib` MiB, with the words `more`."""
    disk = folder / "disk.img"
    disk.write_bytes(bytes(range(256)) * 512)
    devices = [
        {"type": "uart"},
        {"type": "uart", "port": "COM2"},
        {"type": "console", "slot": 0},
        {"type": "net", "net": 0, "slot": 1},
        {"type": "rng", "slot": 2},
        {"type": "block", "image": str(disk), "slot": 3},
        {"type": "pc"},
    ]
    neighbour = {"boot": "pvh", "kernel": "build:checksum.elf", "memory": "32M", "devices": [{"type": "uart"}]}
    return {
        "system": "hostile",
        "board": "q35",
        "cores": 2,
        "memory": "512M",
        "domains": {
            "hostile": {
                "boot": "pvh",
                "kernel": "build:hostile.elf",
                "cmdline": f"kind={kinds} seed=1 n={n} report={n // 10} deadly={deadly} {how}",
                "memory": "32M",
                "vcpus": vcpus,
                "cores": [1] * vcpus,
                "hypercalls": True,
                "kvm": True,
                "devices": devices,
                "restart": ["reset", "fault"],
                "watchdog": watchdog,  # one that halts itself for good goes on with its next block
            },
            "near": neighbour | {"cmdline": f"seed=7 mib={mib} report=8 gap_us=10000 {more}", "cores": [1]},
            "far": neighbour
            | {
                "cmdline": f"seed=8 mib={mib} report=8 gap_us=50000 {more}",
                "cores": [0],
                "devices": [{"type": "uart"}, {"type": "net", "net": 0, "slot": 0}],
            },
        },
        "frames": [
            {
                "core": 1,
                "length": "10ms",
                "windows": [{"domain": "near", "start": 0, "length": "3ms"}, {"domain": "hostile", "start": "3ms", "length": "6ms"}],
            }
        ],
    }


def next_report(board: Board, pattern: str, patience: float) -> str:
    """What it says next. One that switched itself off, as at an interrupt that it has no handler for, is started again and goes on."""
    end = time.monotonic() + patience
    while True:
        try:
            return board["hostile"].expect(pattern, min(patience, 20))[0]
        except ConsoleError:
            if board.ended() or time.monotonic() > end:
                raise
            if " stopped " in command(board, "list").splitlines()[0]:
                command(board, "start hostile")


def attack(board: Board, kinds: list[str], n: int, patience: float, progress: Callable[[str], None], mib: int = 4) -> None:
    """`n` steps of each kind; then the neighbours' sums are right, and the kernel answers and starts what it is told to."""
    await_monitor(board)
    begin = time.monotonic()
    for kind in kinds:
        said = ""
        while "done" not in said:
            said = next_report(board, rf"hostile: (?:done {kind} {n} faults=\d+ stops=\d+|{kind} \d+ steps)", patience)
            progress(f"\n{time.monotonic() - begin:7.0f} s  {said}")
        assert "hostile" in command(board, "list")
    stops = int(board["hostile"].expect(r"hostile: end stops=(\d+)", 60)[1])
    ends = re.findall(r"^domain hostile: (.*?)\r*$", board.kernel.text, re.MULTILINE)
    assert len(ends) >= stops
    assert all(re.match(r"(fault: vcpu \d: .+|triple fault: .+|reset: .+|power-off: .+|watchdog: .+)$", end) for end in ends), ends
    check_neighbour(board, "near", 7, mib)
    check_neighbour(board, "far", 8, mib)
    assert "vcpu 0" in command(board, "stats hostile")
    command(board, "start hostile" if " stopped " in command(board, "list").splitlines()[0] else "restart hostile")
    board["hostile"].expect("hostile: kind=", 60)
    says(board, "near", r"round=\d+ .* worst=\d+\r*\n")


@pytest.mark.parametrize(("kinds", "n"), KINDS, ids=["instructions-and-devices", "interrupts-and-ring-3"])
def test_neighbours_of_an_attacker_compute_on(boot: Any, tmp_path: Path, kinds: list[str], n: int) -> None:
    with boot(attacked(tmp_path, ",".join(kinds), n, n // 5, 1)) as board:
        attack(board, kinds, n, 300, lambda _text: None)


@pytest.mark.full
@pytest.mark.timeout(5 * 3600)
@pytest.mark.parametrize("kind", [kind for kinds, _ in KINDS for kind in kinds])
def test_neighbours_of_a_million_attacks_compute_on(boot: Any, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    def show(text: str) -> None:
        with capsys.disabled():
            print(text, end="", file=sys.stderr, flush=True)

    with boot(attacked(tmp_path, kind, MILLION, MILLION // 5, 2)) as board:
        attack(board, [kind], MILLION, 4 * 3600, show)
