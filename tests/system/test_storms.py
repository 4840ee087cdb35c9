# SPDX-License-Identifier: MIT
"""A guest (guests/hostile) or a process (tests/programs/storm.c) does one thing as often as it can; its neighbour keeps its pace and
its windows begin in time.

One core, one instruction = one tick, so that figures repeat; docs/isolation.md has them. All kinds of storm with --full only.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.line import Line
from amalgam.board.machine import machine_for
from amalgam.board.monitor import await_monitor, command
from amalgam.build.kernel import build_kernel
from neighbour import check_neighbour, reports
from support import listed
from turns import turn

pytestmark = pytest.mark.beside

STORMS = [
    "deadline",
    "periodic",
    "deaf",
    "pit",
    "rtc",
    "level",
    "eoi",
    "ipi",
    "caches",
    "exits",
    "strings",
    "ports",
    "descriptors",
    "talk",
    "lines",
    "tags",
    "serial-lines",
    "serial-tags",
    "rewrite",
    "debug",
    "fault",
    "reset",
]
SHORT = {"periodic", "pit", "rtc", "exits", "descriptors", "eoi", "lines", "tags", "debug", "fault"}
PROCESS_STORMS = ["signals", "alarms", "sleeps", "far-alarms", "wakes", "timeouts", "maps", "talk", "lines", "tags"]
PROCESS_SHORT = {"signals", "alarms", "sleeps", "wakes", "lines"}
OTHERS_SHORT = {"wakes", "maps"}
KERNELS = {"virt": "virt", "i586": "i586-process"}
TICK = {"virt": 100, "i586": 1}  # instructions; a RISC-V board's timer goes at 10 MHz
SLOWER = 1.02  # of a neighbour's pace; measured: docs/isolation.md
REPORTS = 10  # of the neighbour, alone and beside: four differ by 2 % by when they begin
LATE = 8_000  # ticks that a window may begin late
TALKERS = ("one", "two", "three")
BYTE = 4e-3  # seconds of the host's clock for a byte of a slow line, as the board is some fifty times slower than what it emulates
TAKEN, PATIENCE = 3_000, 600  # bytes of a slow line, and tenths of a second until then


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


def of_process(folder: Path, name: str) -> dict[str, Any]:
    """The attacker is a process with all the threads that one may have."""
    build_kernel("process", lambda _text: None)
    system = stormy(folder, name)
    system["domains"]["hostile"] = {
        "kind": "process",
        "program": "build:storm.elf",
        "arguments": ["storm", name],
        "memory": "4M",
        "threads": 64,
        "cores": [0],
        "priority": 24,
        "autostart": False,
    }
    return system


NEAR_AND_REST = {
    "near": {"kind": "process", "program": "build:checksum.elf", "arguments": ["checksum", "25"], "memory": "2M", "cores": [0]},
    "rest": {"kind": "process", "program": "build:spin.elf", "memory": "64K", "cores": [0]},
}


def without_guests(folder: Path, board: str, name: str) -> dict[str, Any]:
    """Attacker and neighbour are processes. The emulator of the RISC-V board wakes a hart that rests when the host has time for it, so
    none rests: one computes where no window is, and a thread of the attacker yields for ever."""
    system = of_process(folder, name)
    build_kernel(KERNELS[board], lambda _text: None)
    system["board"] = board
    system["domains"]["hostile"]["arguments"].append("awake")
    system["domains"] |= NEAR_AND_REST
    return system


def keeps_its_pace(
    boot: Any, system: dict[str, Any], begins: str, name: str, capsys: pytest.CaptureFixture[str], tick: int = 1
) -> dict[str, str]:
    """Let the neighbour of a storm compute alone for REPORTS reports, then beside it; a tick is so many instructions. Returns the attacker's
    row in `list`."""
    with boot(system, icount=True) as board:
        await_monitor(board)
        board["near"].expect(rf"round={25 * (REPORTS + 1)} .*\r*\n", 120)
        command(board, "start hostile")
        board["hostile"].expect(begins, 60)
        command(board, "cpus")
        start = len(reports(board, "near"))
        board["near"].expect(rf"round={25 * (start + REPORTS + 1)} .*\r*\n", 800)  # rewritten code is slow work for an emulator
        late = int(re.findall(r"latest since last asked (\d+) ticks", command(board, "cpus"))[0])
        paces = [t for _, _, t in reports(board, "near")]
        alone, beside = sum(paces[1 : REPORTS + 1]) / REPORTS, sum(paces[start + 1 : start + REPORTS + 1]) / REPORTS
        with capsys.disabled():
            print(f"\n{name}: {beside / alone:.4f} of the time alone, windows at most {late} ticks late", end="", file=sys.stderr)
        check_neighbour(board, "near", 7, 1)
        assert "does not serve" not in board["hostile"].text, "a storm that does nothing shows nothing"
        row = listed(board, "hostile")
    assert beside <= alone * SLOWER
    assert late * tick <= LATE
    return row


@pytest.mark.parametrize("name", [pytest.param(s, marks=[] if s in SHORT else pytest.mark.full) for s in STORMS])
def test_a_neighbour_keeps_its_pace(boot: Any, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    keeps_its_pace(boot, stormy(tmp_path, name), "hostile: storm", name, capsys)


@pytest.mark.parametrize("name", [pytest.param(s, marks=[] if s in PROCESS_SHORT else pytest.mark.full) for s in PROCESS_STORMS])
def test_a_neighbour_of_a_process_keeps_its_pace(boot: Any, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    row = keeps_its_pace(boot, of_process(tmp_path, name), f"storm: {name}", f"process, {name}", capsys)
    assert row["state"] == "running", row


@pytest.mark.parametrize("board", KERNELS)
@pytest.mark.parametrize("name", [pytest.param(s, marks=[] if s in OTHERS_SHORT else pytest.mark.full) for s in PROCESS_STORMS])
def test_a_neighbour_keeps_its_pace_where_no_guests_are(
    boot: Any, tmp_path: Path, board: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    system = without_guests(tmp_path, board, name)
    row = keeps_its_pace(boot, system, f"storm: {name}", f"{board}, {name}", capsys, TICK[board])
    assert row["state"] == "running", row


def test_a_neighbour_of_a_guest_in_ring_1_keeps_its_pace(boot: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """guests/ring1/storm.c does one after the other; the neighbour is a process."""
    attacker = {"kernel": "build:storm.elf", "memory": "16M", "cores": [0], "priority": 24, "autostart": False}
    system = stormy(tmp_path, "ring 1") | {"board": "i586-linux", "domains": {"hostile": attacker} | NEAR_AND_REST}
    row = keeps_its_pace(boot, system, "hostile: storm", "ring 1", capsys)
    assert row["state"] == "running", row


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


class SlowLine(Line):
    """What the human port says is taken slowly. A byte of 115,200 baud takes 87 us, in which a board makes 87,000 instructions."""

    def __init__(self, folder: Path):
        super().__init__(folder, "slow", holds=4096)
        self.taken = 0
        self.over = threading.Event()
        self.taker = threading.Thread(target=self.take, daemon=True)
        self.taker.start()

    def take(self) -> None:
        while not self.over.wait(BYTE):
            with suppress(BlockingIOError):
                self.taken += len(os.read(self._out, 1))

    def close(self) -> None:
        self.over.set()
        self.taker.join()
        super().close()


def talkative(folder: Path, name: str) -> dict[str, Any]:
    """Three that talk at once, in windows of their own that come often: what each leaves for later comes in others' windows."""
    system = stormy(folder, name)
    talker = system["domains"].pop("hostile") | {"autostart": True, "vcpus": 1, "cores": [0]}
    system["domains"] |= {who: dict(talker) for who in TALKERS}
    windows = [{"domain": "near", "start": 0, "length": "800us"}]
    windows += [{"domain": who, "start": f"{800 + 300 * n}us", "length": "300us"} for n, who in enumerate(TALKERS)]
    system["frames"] = [{"core": 0, "length": "2ms", "windows": windows}]
    return system


@contextmanager
def slow_board(images: Any, system: dict[str, Any], folder: Path) -> Iterator[tuple[Board, SlowLine]]:
    made, image = images.get(system)
    machine, line = machine_for(made, image), SlowLine(folder)
    machine.icount = True
    human = [*line.chardev("com1"), "-serial", "chardev:com1"]

    def launch(tagged: Path, _log: Path) -> list[str]:
        channel = ["-chardev", f"pipe,id=com2,path={tagged}", "-serial", "chardev:com2"]
        return [*machine.command(), "-monitor", "none", *machine.channels(human, channel)]

    try:
        with turn(True), Board(launch, made.speakers) as board:
            yield board, line
    finally:
        line.close()


@pytest.mark.parametrize("name", ["dribble", pytest.param("talk", marks=pytest.mark.full)])
def test_a_slow_line_makes_no_window_late(images: Any, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """There is more to say than the line takes. Who speaks waits for it in its own window, and what is lost is lost."""
    with slow_board(images, talkative(tmp_path, name), tmp_path) as (board, line):
        await_monitor(board)
        before = line.taken
        for _ in range(PATIENCE):
            if line.taken - before >= TAKEN or line.over.wait(0.1):
                break
        late = int(re.findall(r"latest since last asked (\d+) ticks", command(board, "cpus"))[0])
        with capsys.disabled():
            print(f"\n{name}, slow line: windows at most {late} ticks late", end="", file=sys.stderr)
        assert line.taken - before >= TAKEN, "the line had nothing to do"
        check_neighbour(board, "near", 7, 1)
    assert late <= LATE
