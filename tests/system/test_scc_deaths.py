# SPDX-License-Identifier: MIT
"""A storm of deaths: in each round five of a process's runs or their kernels end at once, each in another way, while all exchange numbered
pages, mails, barriers and sums, or compute together with RCCE. After it all go on together, nobody has seen a number twice or out of its
order, no sum misses what was added, and the console answers (docs/lives.md)."""

from __future__ import annotations

import os
import random
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.machine import machine_for
from amalgam.board.monitor import command
from amalgam.board.scc import SHARED_AT
from amalgam.board.speakers import Speakers
from amalgam.build.kernel import build_kernel
from amalgam.scc.boot import booted
from amalgam.scc.fleet import booted_fleet
from amalgam.scc.images import Images
from amalgam.scc.merge import merge
from deaths import ROUNDS_SLOW, rounds, seeded
from rcce_process import compiled as rcce_compiled
from rcce_process import process as rcce_process
from test_svm_processes import compiled, process
from turns import turn

CORES = (0, 5, 17, 30, 46, 47)
BOUND_S, AHEAD = 40, 3
PROCESSES, SHARED = 0x160000, 0xDE100000  # board/scc.h; process/chip.h
WORDS = 32  # tests/system/svm/deaths.c, rcce/deaths.c
FAULT, HANG = 1, 2
FIELDS = ("order", "run", "steps", "wrong", "errors", "got", "stale", "hung")


class Storm:
    """A board whose process runs on all its cores, the memory that they share, and how cores of it die and begin again."""

    def __init__(self, board: Speakers, file: int, at: int, die: Callable[[Sequence[int]], None]):
        self.board, self.file, self.at, self.die = board, file, at + PROCESSES, die

    def word(self, core: int, name: str) -> int:
        where = self.at + CORES.index(core) * WORDS + 4 * FIELDS.index(name)
        return int(struct.unpack("<I", os.pread(self.file, 4, where))[0])

    def order(self, core: int, what: int) -> None:
        os.pwrite(self.file, struct.pack("<I", what), self.at + CORES.index(core) * WORDS)

    def words(self) -> str:
        return "\n".join(f"core {core}: " + ", ".join(f"{name} {self.word(core, name)}" for name in FIELDS) for core in CORES)

    def await_all(self, bound_s: float, done: Callable[[int], bool]) -> None:
        end = time.monotonic() + bound_s * SCALE
        while not all(done(core) for core in CORES):
            assert time.monotonic() < end, f"some do not go on:\n{self.words()}\n{self.board.kernel.text[-3000:]}"
            time.sleep(0.05)

    def go_on(self, runs: dict[int, int]) -> None:
        """Wait until each core is in this run or a later one, and all have been together AHEAD times since."""
        self.await_all(BOUND_S, lambda core: self.word(core, "run") >= runs[core])
        before = {core: self.word(core, "steps") for core in CORES}
        self.await_all(BOUND_S, lambda core: self.word(core, "steps") >= before[core] + AHEAD)
        said = [line for console in self.board.consoles.values() for line in console.lines() if "WRONG" in line]
        assert not any(self.word(core, "wrong") for core in CORES), "\n".join([self.words(), *said])

    def round(self, chance: random.Random) -> None:
        """Two cores' kernels end together, one run by a fault, one hangs, and core 0's is stopped, and started again."""
        first, second, faults, hangs = chance.sample(CORES[1:], 4)
        runs = {core: self.word(core, "run") + (core in (0, first, second, faults, hangs)) for core in CORES}
        deaths = [lambda: self.order(faults, FAULT), lambda: self.order(hangs, HANG), lambda: self.die([first, second])]
        deaths.append(lambda: self.stop_and_start(chance.random() / 5))
        chance.shuffle(deaths)
        for death in deaths:
            death()
        self.go_on(runs)
        assert f"{len(CORES)} of 48 kernels run" in command(self.board, "kernels", 60)

    def stop_and_start(self, after_s: float) -> None:
        command(self.board, "stop deaths", 60)
        time.sleep(after_s)
        command(self.board, "start deaths", 60)


@contextmanager
def storm(board: str, folder: Path) -> Iterator[Storm]:
    if board == "scc":
        with booted(Images(folder), CORES) as one:
            yield Storm(one.board, one.memory, SHARED_AT, one.reset)
    else:
        with booted_fleet(Images(folder), CORES) as many:
            yield Storm(many.board, many.board.shared, 0, many.reset)


def pages(folder: Path) -> dict[str, Any]:
    """Each member lives while it waits."""
    return process(compiled("deaths", folder), list(CORES), "16K", *map(str, CORES)) | {"threads": 2, "watchdog": "2s"}


def ues(folder: Path) -> dict[str, Any]:
    """A member that waits for one that has ended is ended by its watchdog."""
    return rcce_process(rcce_compiled("deaths", folder, "-Wl,--wrap=_exit"), list(CORES)) | {"watchdog": "2s"}


@pytest.mark.timeout(0)
@pytest.mark.parametrize(("board", "program"), [("scc", pages), ("scc-fleet", pages), ("scc", ues)])
def test_whoever_dies_the_others_go_on_with_the_next_life(
    images: Any, tmp_path: Path, board: str, program: Callable[[Path], dict[str, Any]], full: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    build_kernel("scc-process", lambda _text: None)
    system, image = images.get({"system": "deaths", "board": "scc", "domains": {"deaths": program(tmp_path) | {"restart": ["fault"]}}})
    folder, chance = tmp_path / "merged", seeded(capsys, f"deaths on {board}, {program.__name__}")
    merge(machine_for(system, image), {"system": "deaths", "domains": ["deaths"]}, folder)
    with turn(), storm(board, folder) as running:
        if program is ues:
            said = running.board["deaths"].expect(r"deaths: UE 0: words at ([0-9a-f]+)", 120)
            running.at += int(said[1], 16) - SHARED
        running.go_on(dict.fromkeys(CORES, 1))
        for _ in rounds(full, capsys, ROUNDS_SLOW):
            running.round(chance)
        assert all(running.word(core, "got") for core in CORES), running.words()
        assert "PANIC" not in running.board.kernel.text
