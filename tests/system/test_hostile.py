# SPDX-License-Identifier: MIT
"""A guest does its worst (guests/hostile); its neighbours compute on, to the bit and in time, and the kernel answers.

10,000 steps of each kind; with --full also 1,000,000 of each, a kind a test, which takes hours (progress is printed).
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from support import says

# In the attacker's order, with how many steps in a short run: those of the last take dozens of interrupts each.
KINDS = [(["priv", "mmio", "pio", "msr", "hypercall", "virtq", "pagetable"], 10_000), (["ipi", "irq", "user"], 2_000)]
MILLION = 1_000_000
MASK = (1 << 64) - 1

# The same in C, for the many rounds that the neighbours manage; checked against the Python below for the first ones.
REFERENCE = """
#include <stdint.h>
#include <stdlib.h>
void rounds(uint64_t seed, uint64_t words, uint64_t n, uint64_t *sums)
{
    uint64_t *area = malloc(words * 8), s = seed, sum = seed;
    for (uint64_t i = 0; i < words; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        area[i] = s;
    }
    for (uint64_t r = 0; r < n; r++) {
        for (uint64_t i = 0; i < words; i++) {
            sum = (sum << 7 | sum >> 57) ^ area[i];
            area[i] = sum + i;
        }
        sums[r] = sum;
    }
    free(area);
}
"""


def checksums(seed: int, mib: int, rounds: int) -> list[int]:
    """What guests/checksum.c prints after each round."""
    s = total = seed
    area, sums = [], []
    for _ in range(mib << 17):
        s ^= s << 13 & MASK
        s ^= s >> 7
        s ^= s << 17 & MASK
        area.append(s)
    for _ in range(rounds):
        for i, value in enumerate(area):
            total = ((total << 7 | total >> 57) & MASK) ^ value
            area[i] = total + i & MASK
        sums.append(total)
    return sums


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("reference")
    (folder / "sum.c").write_text(REFERENCE)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", folder / "sum.so", folder / "sum.c"], check=True)
    function = ctypes.CDLL(str(folder / "sum.so")).rounds

    def compute(seed: int, mib: int, rounds: int) -> list[int]:
        out = (ctypes.c_uint64 * rounds)()
        function(ctypes.c_uint64(seed), ctypes.c_uint64(mib << 17), ctypes.c_uint64(rounds), out)
        return list(out)

    assert compute(7, 1, 3) == checksums(7, 1, 3)
    return compute


def reports(board: Board, name: str) -> list[tuple[int, int, int]]:
    """Round, checksum and ticks a round of each report so far."""
    found = re.findall(r"round=(\d+) sum=([0-9a-f]+) ticks=(\d+) worst=\d+\r*\n", board[name].text)
    return [(int(r), int(s, 16), int(t)) for r, s, t in found]


def check_neighbour(board: Board, name: str, seed: int, mib: int, reference: Any) -> None:
    board[name].seek(0)
    board[name].expect(r"(?s)(?:worst=\d+\r*\n.*?){3}", 60)
    said = reports(board, name)
    assert len(said) > 2, board[name].tail()
    sums = reference(seed, mib, said[-1][0])
    assert [(r, s) for r, s, _ in said] == [(r, sums[r - 1]) for r, _, _ in said]
    assert "somebody else" not in board[name].text


def attacked(folder: Path, kinds: str, n: int, deadly: int, vcpus: int) -> dict[str, Any]:
    """The attacker shares core 1 by windows with `near`; `far` has core 0."""
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
                "cmdline": f"kind={kinds} seed=1 n={n} report={n // 10} deadly={deadly}",
                "memory": "32M",
                "vcpus": vcpus,
                "cores": [1] * vcpus,
                "hypercalls": True,
                "kvm": True,
                "devices": devices,
                "restart": ["reset", "fault"],
                "watchdog": "5s",  # one that halts itself for good goes on with its next block
            },
            "near": neighbour | {"cmdline": "seed=7 mib=4 report=8 gap_us=10000", "cores": [1]},
            "far": neighbour
            | {
                "cmdline": "seed=8 mib=4 report=8 gap_us=50000",
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


def attack(board: Board, kinds: list[str], n: int, patience: float, reference: Any, progress: Callable[[str], None]) -> None:
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
    check_neighbour(board, "near", 7, 4, reference)
    check_neighbour(board, "far", 8, 4, reference)
    assert "vcpu 0" in command(board, "stats hostile")
    command(board, "start hostile" if " stopped " in command(board, "list").splitlines()[0] else "restart hostile")
    board["hostile"].expect("hostile: kind=", 60)
    says(board, "near", r"round=\d+ .* worst=\d+\r*\n", 60)


@pytest.mark.parametrize(("kinds", "n"), KINDS, ids=["instructions-and-devices", "interrupts-and-ring-3"])
def test_neighbours_of_an_attacker_compute_on(boot: Any, tmp_path: Path, reference: Any, kinds: list[str], n: int) -> None:
    with boot(attacked(tmp_path, ",".join(kinds), n, n // 5, 1)) as board:
        attack(board, kinds, n, 300, reference, lambda _text: None)


@pytest.mark.full
@pytest.mark.timeout(5 * 3600)
@pytest.mark.parametrize("kind", [kind for kinds, _ in KINDS for kind in kinds])
def test_neighbours_of_a_million_attacks_compute_on(
    boot: Any, tmp_path: Path, reference: Any, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def show(text: str) -> None:
        with capsys.disabled():
            print(text, end="", file=sys.stderr, flush=True)

    with boot(attacked(tmp_path, kind, MILLION, MILLION // 5, 2)) as board:
        attack(board, [kind], MILLION, 4 * 3600, reference, show)


# --- time: one core, one instruction = one tick, so that figures repeat ---------------------------------------------------

STORMS = [
    "deadline",
    "periodic",
    "deaf",
    "pit",
    "rtc",
    "level",
    "ipi",
    "caches",
    "exits",
    "strings",
    "ports",
    "descriptors",
    "talk",
    "rewrite",
    "debug",
    "fault",
    "reset",
]
SHORT = {"periodic", "pit", "rtc", "exits", "descriptors", "debug", "fault"}
SLOWER = 1.02  # of a neighbour's pace; measured: docs/isolation.md
LATE = 60_000  # ticks that a window may begin late


def stormy(folder: Path, name: str) -> dict[str, Any]:
    disk = folder / "disk.img"
    disk.write_bytes(bytes(65536))
    return {
        "system": "storm",
        "board": "q35",
        "cores": 1,
        "memory": "256M",
        "domains": {
            "hostile": {
                "boot": "pvh",
                "kernel": "build:hostile.elf",
                "cmdline": f"storm={name}",
                "memory": "32M",
                "cores": [0] * 4,
                "vcpus": 4,
                "priority": 24,
                "hypercalls": True,
                "autostart": False,
                "restart": ["reset", "fault"],
                "devices": [
                    {"type": "uart"},
                    {"type": "uart", "port": "COM2"},
                    {"type": "block", "image": str(disk), "slot": 0},
                    {"type": "pc"},
                ],
            },
            "near": {
                "boot": "pvh",
                "kernel": "build:checksum.elf",
                "cmdline": "seed=7 mib=1 report=25",
                "memory": "16M",
                "cores": [0],
                "devices": [{"type": "uart"}],
            },
        },
        "frames": [
            {
                "core": 0,
                "length": "10ms",
                "windows": [{"domain": "near", "start": 0, "length": "4ms"}, {"domain": "hostile", "start": "4ms", "length": "4ms"}],
            }
        ],
    }


@pytest.mark.parametrize("name", [pytest.param(s, marks=[] if s in SHORT else pytest.mark.full) for s in STORMS])
def test_a_neighbour_keeps_its_pace(boot: Any, tmp_path: Path, name: str, reference: Any, capsys: pytest.CaptureFixture[str]) -> None:
    count = 10
    with boot(stormy(tmp_path, name), icount=True) as board:
        await_monitor(board)
        board["near"].expect(rf"round={25 * (count + 1)} .*\r*\n", 120)
        command(board, "start hostile")
        board["hostile"].expect("hostile: storm", 60)
        command(board, "cpus")
        start = len(reports(board, "near"))
        board["near"].expect(rf"round={25 * (start + count + 1)} .*\r*\n", 800)  # rewritten code is slow work for an emulator
        late = int(re.findall(r"latest since last asked (\d+) ticks", command(board, "cpus"))[0])
        paces = [t for _, _, t in reports(board, "near")]
        alone, beside = sum(paces[1 : count + 1]) / count, sum(paces[start + 1 : start + count + 1]) / count
        with capsys.disabled():
            print(f"\n{name}: {beside / alone:.4f} of the time alone, windows at most {late} ticks late", end="", file=sys.stderr)
        check_neighbour(board, "near", 7, 1, reference)
        assert " hostile " in command(board, "list")
    assert beside <= alone * SLOWER
    assert late <= LATE


def test_a_deadline_that_never_comes_costs_nobody_anything(boot: Any, tmp_path: Path) -> None:
    """Without windows, where nothing else would set the alarm: the attacker sleeps, the neighbour has the core."""
    system = stormy(tmp_path, "far-deadline")
    del system["frames"]
    with boot(system, icount=True) as board:
        await_monitor(board)
        board["near"].expect(r"round=250 .*\r*\n", 120)
        command(board, "start hostile")
        board["hostile"].expect("hostile: storm", 60)
        start = len(reports(board, "near"))
        board["near"].expect(rf"round={25 * (start + 6)} .*\r*\n", 60)
        paces = [t for _, _, t in reports(board, "near")]
    assert sum(paces[start + 1 : start + 6]) / 5 <= sum(paces[1:10]) / 9 * SLOWER
