# SPDX-License-Identifier: MIT
"""Processes on 32-bit harts, one a cluster: they run and end, and what one does wrong ends that one only. (Those of 64-bit harts are tested
on `virt`, test_virt_processes.py.)"""

from __future__ import annotations

import re
from typing import Any

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

FAULTS = {  # of user/programs/fault.c, then of maps.c: a thread's memory, by one on another hart; its stack's end
    "fault null": r"store page fault at image\+[0-9a-f]+, address 0",
    "fault text": r"store page fault at image\+[0-9a-f]+, address 1000[0-9a-f]+",
    "fault jump": r"fetch page fault at \S+, address 0",
    "fault privileged": r"illegal instruction at image\+[0-9a-f]+, address 0",
    "fault abort": r"(illegal instruction|breakpoint) at image\+[0-9a-f]+, address 0",
    "maps taken": r"(store|load) page fault at image\+[0-9a-f]+, address 30000000",
    "maps sealed": r"store page fault at image\+[0-9a-f]+, address 30000000",
    "maps overflow": r"store page fault at image\+[0-9a-f]+, address \w+f\w\w",
}
RIGHT = {
    "hello the world": r"argv\[2\] = world\r*\n(.*\n)*pi is about 3\.141593\r*\n",
    "threads 4 1000": r"threads: 4 counted to 4000, the queue's sum is 500500, wrong 0\r*\nthreads: right\r*\n",
    "maps": r"maps: right, \d+ pages\r*\n",
}


def cluster(number: int, words: str) -> dict[str, Any]:
    """One that runs a program with these arguments."""
    program, *arguments = words.split()
    process = {"kind": "process", "program": f"build:{program}.elf", "arguments": [program, *arguments], "memory": "256K", "threads": 5}
    return {"kind": "compute" if number else "io", "harts": 3, "domains": {"program": process}}


def test_programs_of_32_bits_run_and_end_and_a_fault_ends_its_process_only(running: Any) -> None:
    layout = {f"c{number}": cluster(number, words) for number, words in enumerate([*RIGHT, *FAULTS])}
    with running({"system": "processes", "board": "manycore32", "kernel": KERNELS["manycore32"], "clusters": layout}) as board:
        of = dict(zip([*RIGHT, *FAULTS], (board[name] for name in board.names), strict=True))
        for words, end in FAULTS.items():
            said = of[words].expect(r"domain program: fault: thread \d: (.*?)\r*\n", 120)[1]
            assert re.fullmatch(end, said), (words, said)
        for words, text in RIGHT.items():
            assert of[words].expect(r"domain program: (.*?)\r*\n", 120)[1] == "done: exit status 0"
            assert re.search(text, of[words].text), words
        assert "PANIC" not in "".join(console.text for console in of.values())


PAGER = {  # of user/programs/pager.c: where the fault is that nobody handles
    "pager none": r"load page fault at image\+[0-9a-f]+, address [0-9a-f]+000",
    "pager own": r"load page fault at image\+[0-9a-f]+, address [0-9a-f]+000",
    "pager gone": r"load page fault at image\+[0-9a-f]+, address [0-9a-f]+000",
    "pager null": r"load page fault at image\+[0-9a-f]+, address 0",
}


@pytest.mark.parametrize("board", BOARDS)
def test_a_thread_of_the_program_handles_page_faults_and_what_nobody_handles_ends_it(running: Any, board: str) -> None:
    """Pages that three threads miss at the same time, and a call of the kernel; without a pager, and by it, as without this."""
    layout = {f"c{number}": cluster(number, words) for number, words in enumerate(["pager", *PAGER])}
    with running({"system": "pager", "board": board, "kernel": KERNELS[board], "clusters": layout}) as started:
        of = dict(zip(["pager", *PAGER], (started[name] for name in started.names), strict=True))
        assert of["pager"].expect(r"domain program: (.*?)\r*\n", 120)[1] == "done: exit status 0"
        assert "pager: from a page that was not there\n" in of["pager"].text.replace("\r", "")
        assert re.search(r"pager: right, \d+ faults, \d+ of them twice", of["pager"].text)
        for words, end in PAGER.items():
            said = of[words].expect(r"domain program: fault: thread (\d): (.*?)\r*\n", 120)
            assert re.fullmatch(end, said[2]) and (said[1] == "0") == (words != "pager own"), (words, said[0])


@pytest.mark.parametrize("board", BOARDS)
def test_threads_for_which_no_core_is_free_begin_first_come_first_served(running: Any, board: str) -> None:
    """Fifteen threads on three harts, three on three, and one; three times as many are created."""
    places = (15, 3, 1)
    layout = {f"c{number}": cluster(number, "queued") | {"memory": "4M"} for number in range(len(places))}
    for entry, threads in zip(layout.values(), places, strict=True):
        entry["harts"] = 4
        entry["domains"]["program"] |= {"threads": threads, "memory": "1M"}
    with running({"system": "queued", "board": board, "kernel": KERNELS[board], "clusters": layout}) as started:
        for name, threads in zip(started.names, places, strict=True):
            started[name].expect(rf"^queued: {threads} places: right", 120)
