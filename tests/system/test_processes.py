# SPDX-License-Identifier: MIT
"""Processes beside a guest: they run, they end, and what one does wrong ends that one only."""

from __future__ import annotations

import random
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.build.programs import made_program
from elftools.elf.elffile import ELFFile
from second import EMULATOR, MAKERS
from support import after, ended, free, listed, processes, said, says, stop

KILLS, KILLS_FULL = 200, 1000
KILLS_BOCHS, KILLS_BOCHS_FULL = 5, 50  # whose second has a tenth of the instructions
LATEST = 0.1  # seconds after the start; the earliest moment is its third power
KILLED = {"busy": "threads", "mapping": "maps"}  # killed in the middle; the same program, which then runs to its end
SEED = 13
WRONG = {  # of user/programs/fault.c: what it does, what the kernel says of it, in which function it was
    "null": (r"page fault at image\+[0-9a-f]+, address 0", "main"),
    "text": (r"page fault at image\+[0-9a-f]+, address 80000[0-9a-f]+", "main"),
    "jump": (r"page fault at \S+, address 0", ""),
    "privileged": (r"general protection at image\+[0-9a-f]+, address 0", "main"),
    "breakpoint": (r"breakpoint at image\+[0-9a-f]+, address 0", "main"),
    "abort": (r"invalid opcode at image\+[0-9a-f]+, address 0", "die"),
}
FAR = "8400000000"  # of user/programs/maps.c
LOST = {  # of the same: in which function a thread faults, and at which address
    "taken": ("write_on", FAR),  # its memory, by a thread on another core
    "overflow": ("overflow", r"\w+f\w\w"),  # its stack's end
}


@pytest.fixture(scope="module", params=MAKERS)
def maker(request: pytest.FixtureRequest) -> str:
    """The board."""
    board: str = request.param
    return board


@pytest.fixture(scope="module")
def system(maker: str) -> dict[str, Any]:
    """systems/processes.yaml without what test_process_tunnels.py is about, and a process for everything that one may do wrong."""
    made = processes("ping", "pong", "asker", "rt", "linux", "fault") | {"board": maker}
    made["domains"]["phoenix"] |= {"arguments": ["phoenix", "jump"], "autostart": False}
    common = {"kind": "process", "program": "build:fault.elf", "memory": "64K", "cores": [1], "autostart": False}
    for what in WRONG:
        made["domains"][f"f-{what}"] = common | {"arguments": ["fault", what]}
    for what in LOST:
        made["domains"][f"m-{what}"] = made["domains"]["maps"] | {"arguments": ["maps", what], "autostart": False}
    mapping = {"arguments": ["maps", "rounds", "5"], "threads": 5, "autostart": False}
    made["domains"]["mapping"] = made["domains"]["maps"] | mapping
    made["domains"]["busy"] = made["domains"]["threads"] | {"arguments": ["threads", "4", "100000"], "autostart": False}
    return made


@pytest.fixture(scope="module")
def board(boot_module: Any, system: dict[str, Any], maker: str) -> Iterator[Board]:
    with boot_module(system, emulator=EMULATOR[maker]) as board:
        await_monitor(board)
        said(board, "neighbour", r"checksum: round=64 ")
        yield board


def function_at(program: Path, address: int) -> str:
    """The name of the function that holds an address of a program's image."""
    with program.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        return next(s.name.removesuffix(".cold") for s in symbols.iter_symbols() if s["st_value"] <= address < s["st_value"] + s["st_size"])


def test_hello_prints_its_arguments_and_its_environment(board: Board) -> None:
    said(board, "hello", r"hello: domain 1, 3 arguments\r*\nargv\[0\] = hello\r*\nargv\[1\] = to\r*\nargv\[2\] = the world\r*\n")
    said(board, "hello", r"environment: LANG=C\r*\nenvironment: HOME=/\r*\npi is about 3\.141593\r*\n")
    said(board, "kernel", "domain hello: done: exit status 0")
    assert listed(board, "hello")["kind"] == "process"


def test_threads_on_two_cores_count_right(board: Board) -> None:
    said(board, "threads", r"threads: 4 counted to 4000, the queue's sum is 500500, wrong 0\r*\nthreads: right\r*\n")
    said(board, "kernel", "domain threads: done: exit status 0")


def test_memory_by_the_page(board: Board) -> None:
    """Each argument rightly and wrongly, what another core loses, all pages there and back; from the start once more."""
    said(board, "maps", r"maps: right, \d+ pages\r*\n")
    said(board, "kernel", "domain maps: done: exit status 0")
    after(board, "start maps", "maps", r"maps: right, \d+ pages", 120)


@pytest.mark.parametrize("what", LOST)
def test_what_a_thread_has_no_more_it_faults_on(board: Board, what: str) -> None:
    where, address = LOST[what]
    end = ended(board, f"m-{what}")
    at = re.fullmatch(rf"fault: thread 1: page fault at image\+([0-9a-f]+), address {address}", end)
    assert at and function_at(made_program("maps"), int(at[1], 16)) == where, end


@pytest.mark.parametrize("what", WRONG)
def test_a_fault_says_who_where_and_why_and_the_neighbour_goes_on(board: Board, what: str) -> None:
    why, where = WRONG[what]
    end = ended(board, f"f-{what}")
    assert re.fullmatch(rf"fault: thread 0: {why}", end), end
    assert listed(board, f"f-{what}")["end"] == end
    assert "still here" not in board[f"f-{what}"].text
    if where:
        at = re.search(r"image\+([0-9a-f]+)", end)
        assert at and function_at(made_program("fault"), int(at[1], 16)) == where
    says(board, "neighbour", "checksum: round=")


def test_the_callers_of_a_fault_are_told(board: Board) -> None:
    """By frame pointers, through the C library: abort() from main() from amalgam_start()."""
    start = len(board.kernel.text)
    ended(board, "f-abort")
    callers = re.findall(r"called from image\+([0-9a-f]+)", board.kernel.text[start:])
    names = [function_at(made_program("fault"), int(at, 16) - 1) for at in callers]
    assert names[-3:] == ["main", "amalgam_start", "_start"] and "abort" in names, names


def test_a_program_that_never_calls_is_stopped_by_the_console(board: Board) -> None:
    for _ in range(2):
        after(board, "start spin", "spin", "spin: begins")
        assert listed(board, "spin")["state"] == "running"
        command(board, "stop spin")
        assert listed(board, "spin")["state"] == "stopped"
        assert listed(board, "spin")["end"] == "stopped: by the control console"
    says(board, "neighbour", "checksum: round=")


def test_a_process_is_restarted_after_a_fault(board: Board) -> None:
    command(board, "start phoenix")
    for _ in range(3):
        board.kernel.expect(r"domain phoenix: fault: ", 60)
    command(board, "stop phoenix")
    assert int(listed(board, "phoenix")["restarts"]) >= 2


def test_runs_of_a_process_lose_no_memory(board: Board) -> None:
    ended(board, "f-null")
    before = free(board)
    for _ in range(5):
        ended(board, "f-null")
        ended(board, "hello")
    assert free(board) == before


@pytest.mark.timeout(1800)
def test_killed_at_any_of_200_moments_a_process_leaves_all_its_pages(board: Board, maker: str, full: bool) -> None:
    """Five threads on two cores, in the middle of waiting, waking, beginning and ending, or of mapping and unmapping; half of the
    moments lie in the first hundredth of a second after the start. Then each begins once more and all is right. It was seen failing
    when threads that were killed in a wait were not joined, and when a start did not clear what was killed or did not free its frames."""
    draw = random.Random(SEED)
    left = set()
    kills = (KILLS_BOCHS, KILLS_BOCHS_FULL) if EMULATOR[maker] else (KILLS, KILLS_FULL)
    for n in range(kills[full]):
        busy = draw.choice(list(KILLED)) if n >= len(KILLED) else list(KILLED)[n]
        moment = LATEST ** draw.uniform(1, 3)
        command(board, f"start {busy}")
        time.sleep(moment)
        stop(board, busy)
        if n + 1 >= len(KILLED):  # what a process has of the kernel's stays until it begins again
            left.add(free(board))
        assert len(left) <= 1, f"kill {n}, of {busy}, {moment:.4f} s after its start: {left} KiB free"
    for then in KILLED.values():
        after(board, f"start {then}", then, f"{then}: right", 120)
    says(board, "neighbour", "checksum: round=")


def test_a_run_ends_with_the_status_of_its_process(tmp_path: Path) -> None:
    """`power: board`: the board goes off with it."""
    (tmp_path / "main.c").write_text('#include <stdio.h>\nint main(void) { puts("ends"); return 5; }\n', encoding="utf-8")
    amalgam = paths.ROOT / "amalgam"
    subprocess.run([amalgam, "cc", tmp_path / "main.c", "-o", tmp_path / "program"], check=True)
    text = "system: status\nboard: q35\nmemory: 128M\ndomains:\n  a: {kind: process, program: program, memory: 64K, power: board}\n"
    (tmp_path / "status.yaml").write_text(text, encoding="utf-8")
    words = [amalgam, "run", tmp_path / "status.yaml"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "'a' ended with exit status 5" in done.stderr
