# SPDX-License-Identifier: MIT
"""A guest does one thing as often as it can (guests/hostile); its neighbour keeps its pace and its windows begin in time.

One core, one instruction = one tick, so that figures repeat; docs/isolation.md has them. All kinds of storm with --full only.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import await_monitor, command
from neighbour import check_neighbour, reports

pytestmark = pytest.mark.beside

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
REPORTS, REPORTS_FULL = 4, 10  # of the neighbour, alone and beside
LATE = 8_000  # ticks that a window may begin late


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
def test_a_neighbour_keeps_its_pace(boot: Any, tmp_path: Path, name: str, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    count = REPORTS_FULL if full else REPORTS
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
        check_neighbour(board, "near", 7, 1)
        assert "does not serve" not in board["hostile"].text, "a storm that does nothing shows nothing"
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
