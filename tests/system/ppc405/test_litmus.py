# SPDX-License-Identifier: MIT
"""The kernel's bakery and semaphore on cores that are processes, and the fence that they stand on."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam import artifacts
from amalgam.board.console import SCALE

HERE = Path(__file__).resolve().parent
WORDS = 0xFFF70000  # two: rounds * 256 + cores, core's number
pytestmark = pytest.mark.usefixtures("one_board")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("litmus")
    subprocess.run(["make", "-s", "-C", HERE / "litmus", f"OUT={out}"], check=True)
    return out


def once(program: Path, cores: int, rounds: int, ram: Path, seconds: float) -> str:
    """What core 0 says of one run."""
    ram.write_bytes(b"")
    words = [*artifacts.ppc405_emulator(), "-M", "ref405ep,memory-backend=ram", "-nodefaults", "-display", "none"]
    words += ["-monitor", "none", "-no-reboot"]
    words += ["-object", f"memory-backend-file,id=ram,share=on,mem-path={ram},size=64M", "-kernel", str(program), "-serial", "stdio"]
    running = []
    try:
        for core in range(cores):
            data = (rounds * 256 + cores) << 32 | core
            command = [*words, "-device", f"loader,addr={WORDS:#x},data={data},data-len=8,data-be=on"]
            running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
        return running[0].communicate(timeout=seconds)[0]
    finally:
        for process in running:
            process.kill()
            process.wait()


def run(program: Path, cores: int, rounds: int, ram: Path, seconds: float = 600 * SCALE) -> dict[str, tuple[int, int]]:
    """What core 0 counted: name -> (counted, expected). A core that the host stopped for longer than a lock is patient loses it: then again."""
    for _attempt in range(5):
        said = once(program, cores, rounds, ram, seconds)
        if "lock lost" not in said:
            break
    assert "lock lost" not in said, said
    return {name: (int(got), int(of)) for name, got, of in re.findall(r"(\w+) (\d+) of (\d+)", said)}


@pytest.mark.parametrize("cores", [2, 4])
def test_no_count_is_lost_under_the_lock(programs: Path, tmp_path: Path, full: bool, cores: int) -> None:
    rounds = (50000 if full else 5000) // (cores - 1) ** 2  # more cores than the host has wait for the host's scheduler
    counts = run(programs / "litmus.elf", cores, rounds, tmp_path / "ram")
    for lock in ("bakery", "semaphore"):
        assert counts[lock] == (cores * rounds, cores * rounds), counts
    assert counts["reordered"][0] == 0, "the board's fence lets loads pass stores"


def some_run(program: Path, ram: Path, name: str, wrong: Callable[[int, int], bool]) -> bool:
    """Cores at the same time are needed to go wrong: on a busy host it takes some tries, short ones, for there the cores wait for each other."""
    deadline = time.monotonic() + 300 * SCALE
    while time.monotonic() < deadline:
        if wrong(*run(program, 2, 1000, ram)[name]):
            return True
    return False


def test_without_the_lock_counts_are_lost(programs: Path, tmp_path: Path) -> None:
    """The test above can fail."""
    assert some_run(programs / "litmus.elf", tmp_path / "ram", "nothing", lambda got, of: got < of)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors at the same time")
def test_sync_alone_lets_loads_pass_stores(programs: Path, tmp_path: Path) -> None:
    """The quirk FENCE exists: when this fails QEMU has mended it, and the quirk can go."""
    assert some_run(programs / "nofence.elf", tmp_path / "ram", "reordered", lambda got, _of: got > 0)
