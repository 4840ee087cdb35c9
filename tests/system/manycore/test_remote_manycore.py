# SPDX-License-Identifier: MIT
"""A kernel whose master executes what processes ask of shared state (shape cluster-remote, docs/manycore.md): each call rightly and wrongly,
processes that end in the middle of one, a hostile one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support import said

pytestmark = pytest.mark.beside

KERNEL = "shape:cluster-remote"
RIGHT = {  # programs that the other kernels run, too, and what they say
    "threads 4 1000": r"threads: 4 counted to 4000, the queue's sum is 500500, wrong 0",
    "pager": r"pager: right, \d+ faults, \d+ of them twice",
    "semaphores": r"semaphores: right, 128 of 128",
}
END, RIGHTLY = r"domain program: (.*?)\r*\n", "done: exit status 0"
NANVIX = ("threads", "locks", "faults", "signals")
LIVES = 21  # of cut.c: each of its kinds of calls at three moments


def process(words: str, **more: Any) -> dict[str, Any]:
    program, *arguments = words.split()
    name = program.rpartition("-")[2]
    return {"kind": "process", "program": f"build:{program}.elf", "arguments": [name, *arguments], "memory": "512K", "threads": 8} | more


def system(name: str, *clusters: dict[str, Any]) -> dict[str, Any]:
    """The first cluster is the one for I/O; each has these domains."""
    layout = {f"c{i}": {"kind": "compute" if i else "io", "harts": 6, "domains": domains} for i, domains in enumerate(clusters)}
    return {"system": name, "board": "manycore", "kernel": KERNEL, "clusters": layout}


def test_each_call_does_by_the_master_what_it_does_elsewhere(running: Any) -> None:
    with running(system("remote", *({"program": process(words)} for words in RIGHT))) as board:
        for name, text in zip(board.names, RIGHT.values(), strict=True):
            assert board[name].expect(END, 120)[1] == RIGHTLY and re.search(rf"^{text}", board[name].text, re.MULTILINE), text


@pytest.mark.full
def test_pages_are_mapped_by_the_master_as_elsewhere(running: Any) -> None:
    """By the host's time: a thread that computes has 100 million instructions a turn under icount, and others wait here for what it sees."""
    with running(system("remote-maps", {"maps": process("maps", threads=2)}), icount=False) as board:
        [console] = (board[name] for name in board.names)
        console.expect(r"maps: right, \d+ pages\r*\n", 240)


@pytest.mark.parametrize("way", ["nanvix", "nanvix_remote"])
def test_threads_and_locks_of_nanvix_do_what_they_promise(running: Any, way: str) -> None:
    programs = ({"program": process(f"{way}-{name} all", threads=15)} for name in NANVIX)
    with running(system("remote-nanvix", *programs)) as board:
        for name, program in zip(board.names, NANVIX, strict=True):
            assert board[name].expect(END, 120) and f"{program}: right" in board[name].text, program


def test_a_process_that_ends_in_the_middle_of_any_call_leaves_nothing_and_harms_nobody(running: Any) -> None:
    """Nothing is lost by its ends: each life could have as much as the first. Its neighbour counts exactly meanwhile."""
    domains = {"cut": process(f"cut {LIVES}", restart=["fault"]), "neighbour": process("semaphores rounds 3000")}
    with running(system("cut", domains)) as board:
        [console] = (board[name] for name in board.names)
        assert console.expect(r"domain cut: (done.*?)\r*\n", 180)[1] == RIGHTLY
        assert "semaphores: right, counted to 12000" in console.text
        lives = dict(re.findall(r"cut: life (\d+): (\d+ pages, \d+ semaphores)", console.text))
        assert list(lives) == [str(n) for n in range(1, LIVES + 2)] and len(set(lives.values())) == 1, lives
        assert "PANIC" not in console.text


def test_a_hostile_process_changes_nothing_for_its_neighbour(running: Any, full: bool) -> None:
    steps, rounds = (10_000, 1000) if full else (400, 200)
    domains = {"hostile": process(f"hostile {steps}", threads=5), "neighbour": process(f"semaphores rounds {rounds}")}
    with running(system("hostile-remote", domains)) as board:
        [name] = board.names
        said(board, name, r"hostile: done", 600 if full else 60)
        assert said(board, name, r"domain neighbour: (.*?)\r*\n", 600 if full else 60)[1] == RIGHTLY
        text = board[name].text
        assert f"semaphores: right, counted to {4 * rounds}" in text and "PANIC" not in text
