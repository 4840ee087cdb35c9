# SPDX-License-Identifier: MIT
"""A kernel whose master executes what processes ask of shared state (shapes cluster-remote and cluster32-remote, docs/manycore.md): each call
rightly and wrongly, Nanvix' benchmarks, processes that end in the middle of a call, a hostile one."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from amalgam import paths
from manycores import BOARDS, Start
from support import said

pytestmark = pytest.mark.beside

KERNELS = {"manycore": "shape:cluster-remote", "manycore32": "shape:cluster32-remote"}
RIGHT = {  # programs that the other kernels run, too, and what they say
    "threads 4 200": r"threads: 4 counted to 800, the queue's sum is 20100, wrong 0",
    "pager": r"pager: right, \d+ faults, \d+ of them twice",
    "semaphores": r"semaphores: right, 128 of 128",
}
END, RIGHTLY = r"domain program: (.*?)\r*\n", "done: exit status 0"
NANVIX = ("threads", "locks", "faults", "signals")
BENCHMARKS = {  # the paper's five, of which kcall is two, and what is one of their results
    "nanvix-kcall 2": r"bench kcall-remote-2 \d+",
    "nanvix-fork-join 3": r"bench join-3 \d+",
    "nanvix_remote-buffer 3 2": r"buffer 3 2 \d+",
    "nanvix-noise 2": "noise: done",
}
LIVES = 21  # of cut.c: each of its kinds of calls at three moments


def process(words: str, **more: Any) -> dict[str, Any]:
    program, *arguments = words.split()
    name = program.rpartition("-")[2]
    return {"kind": "process", "program": f"build:{program}.elf", "arguments": [name, *arguments], "memory": "512K", "threads": 8} | more


def system(name: str, *clusters: dict[str, Any], board: str = "manycore") -> dict[str, Any]:
    """The first cluster is the one for I/O; each has these domains."""
    layout = {f"c{i}": {"kind": "compute" if i else "io", "harts": 6, "domains": domains} for i, domains in enumerate(clusters)}
    return {"system": name, "board": board, "kernel": KERNELS[board], "clusters": layout}


def all_right(board: Any, says: dict[str, str]) -> None:
    """Each cluster's program has come to its end, and has said so."""
    for name, text in zip(board.names, says.values(), strict=True):
        assert board[name].expect(END, 120)[1] == RIGHTLY and re.search(rf"^{text}", board[name].text, re.MULTILINE), text


@pytest.mark.parametrize("machine", BOARDS)
def test_each_call_does_by_the_master_what_it_does_elsewhere(running: Any, machine: str) -> None:
    with running(system("remote", *({"program": process(words)} for words in RIGHT), board=machine)) as board:
        all_right(board, RIGHT)


@pytest.mark.parametrize("machine", BOARDS)
def test_nanvix_benchmarks_come_to_their_end_all_remote(running: Any, machine: str) -> None:
    """Figures are the bench's; `buffer` also checks what arrives."""
    domains = ({"program": process(words, threads=15, memory="1M")} for words in BENCHMARKS)
    with running(system("remote-benchmarks", *domains, board=machine)) as board:
        all_right(board, BENCHMARKS)


def test_the_system_of_the_document_runs_to_its_end(clusters: Start) -> None:
    """systems/manycore-remote.yaml, as it is."""
    board = clusters(yaml.safe_load((paths.SYSTEMS / "manycore-remote.yaml").read_text(encoding="utf-8")))
    assert f"domain buffer: {RIGHTLY}" in board["io"].text and re.search(r"^buffer 2 1 \d+", board["io"].text, re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("machine", BOARDS)
def test_pages_are_mapped_by_the_master_as_elsewhere(running: Any, machine: str) -> None:
    """By the host's time: a thread that computes has 100 million instructions a turn under icount, and others wait here for what it sees."""
    with running(system("remote-maps", {"maps": process("maps", threads=2)}, board=machine), icount=False) as board:
        [console] = (board[name] for name in board.names)
        console.expect(r"maps: right, \d+ pages\r*\n", 240)


@pytest.mark.parametrize(("machine", "way"), [("manycore", "nanvix"), ("manycore", "nanvix_remote"), ("manycore32", "nanvix_remote")])
def test_threads_and_locks_of_nanvix_do_what_they_promise(running: Any, machine: str, way: str) -> None:
    programs = ({"program": process(f"{way}-{name} all", threads=15)} for name in NANVIX)
    with running(system("remote-nanvix", *programs, board=machine)) as board:
        for name, program in zip(board.names, NANVIX, strict=True):
            assert board[name].expect(END, 120) and f"{program}: right" in board[name].text, program


@pytest.mark.parametrize("machine", BOARDS)
def test_a_process_that_ends_in_the_middle_of_any_call_leaves_nothing_and_harms_nobody(running: Any, machine: str) -> None:
    """Nothing is lost by its ends: each life could have as much as the first. Its neighbour counts exactly meanwhile."""
    domains = {"cut": process(f"cut {LIVES}", restart=["fault"]), "neighbour": process("semaphores rounds 3000")}
    with running(system("cut", domains, board=machine)) as board:
        [console] = (board[name] for name in board.names)
        assert console.expect(r"domain cut: (done.*?)\r*\n", 180)[1] == RIGHTLY
        assert "semaphores: right, counted to 12000" in console.text
        lives = dict(re.findall(r"cut: life (\d+): (\d+ pages, \d+ semaphores)", console.text))
        assert list(lives) == [str(n) for n in range(1, LIVES + 2)] and len(set(lives.values())) == 1, lives
        assert "PANIC" not in console.text


@pytest.mark.parametrize("machine", BOARDS)
def test_a_hostile_process_changes_nothing_for_its_neighbour(running: Any, full: bool, machine: str) -> None:
    steps, rounds = (10_000, 1000) if full else (400, 200)
    domains = {"hostile": process(f"hostile {steps}", threads=5), "neighbour": process(f"semaphores rounds {rounds}")}
    with running(system("hostile-remote", domains, board=machine)) as board:
        [name] = board.names
        said(board, name, r"hostile: done", 600 if full else 60)
        assert said(board, name, r"domain neighbour: (.*?)\r*\n", 600 if full else 60)[1] == RIGHTLY
        text = board[name].text
        assert f"semaphores: right, counted to {4 * rounds}" in text and "PANIC" not in text
