# SPDX-License-Identifier: MIT
"""The shell at the console of an I/O cluster (user/shell/clusters, docs/servers.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import Console
from amalgam.build.kernel import build_kernel
from amalgam.measure import clocks, visits
from manycores import BOARDS, SPAWNS

pytestmark = pytest.mark.beside


def typed(console: Console, line: str, said: str) -> re.Match[str]:
    console.expect(r"\$ ", 60)
    console.send(f"{line}\r")
    return console.expect(rf"(?s){re.escape(line)}\r*\n.*?{said}", 60)


def test_the_shell_of_a_many_core_does_what_its_page_says(running) -> None:
    with running(yaml.safe_load((paths.SYSTEMS / "manycore.yaml").read_text(encoding="utf-8"))) as started:
        console = started["io"]

        def type_line(line: str, said: str) -> re.Match[str]:
            return typed(console, line, said)

        console.expect(r"\$ ", 60)  # behind all that its cluster says when it begins
        assert re.search(r"process: serves port 4 of cluster 0\s+\$ $", console.text), console.text
        console.send("\r")
        type_line("ls /bin", r"hello\r*\n.*rest")
        type_line("ls /bin nothere /bin", r"/bin:\r*\nhello.*nothere: No such file.*/bin:\r*\nhello")
        type_line("cat /etc/motd", "help lists what the shell does")
        type_line("cat /bin", "/bin: Is a directory")
        # The slots of the first cluster have one thread. What runs on two others is said here, and by whole lines.
        type_line("run hello -n 3 -c 2 word", r"(?=.*0: argv\[1\] = word\r*\n)(?=.*1: argv\[1\] = word\r*\n).*0: environment: RANK=0")
        type_line("help", "run PROGRAM")
        assert all("argv[1]" not in started[name].text for name in ("compute0", "compute1"))
        type_line("run nanvix -c 3", r"(?=.*2: printf: 2 of 3\r*\n).*2: kprintf: cluster 2")
        number = type_line("run rest & help", r"\[(\d+)\]\r*\n.*run PROGRAM")[1]
        type_line("help &", "only run has what goes on")
        type_line("ps", rf"{number} +0 +1 +runs +rest")
        # The server is awake, whose core is 2. The master and the shell are so or not, as the moment has it.
        type_line("top", r"0 +1 +1 +- +[0-2,-]*2 +[01,-]*3-5 +- +rest")
        type_line("kill rest", rf"\[{number}\] killed")
        type_line("stats", "DROPPED")
        type_line("run rest -n 4", "none has so many threads")
        type_line("run rest -c 6", "there are only 5 clusters")
        type_line("run nothing", "No such file")
        type_line("run rest", "")
        console.send("\x03")
        type_line("exit", "")
        assert started.wait(60) == 0


SERVER, SLOTS, HARTS = 1, (2, 5), 9  # cores of the cluster: its server's, of the first thread of each slot; how many there are


def numbers(cores: str) -> set[int]:
    """Those of a list of cores, "0,2-4"."""
    ends = [[int(n) for n in part.split("-")] for part in cores.split(",") if cores != "-"]
    return {core for part in ends for core in range(part[0], part[-1] + 1)}


@pytest.mark.parametrize("board", BOARDS)
def test_top_says_which_cores_are_awake_and_which_are_dark(running, board: str) -> None:
    """The core of the server that counts is awake, and that of a program that computes; that of one that sleeps is dark. The master may
    be either."""
    limit = 4
    system = yaml.safe_load((paths.SYSTEMS / "manycore.yaml").read_text(encoding="utf-8")) | {"board": board, "kernel": SPAWNS[board]}
    system["clusters"]["io"]["domains"]["shell"] |= {"files": "build:started-spawned.elf", "environment": {"PROCESSES": "1,0"}}
    system["clusters"]["compute"] |= {"count": 1, "awake": limit}
    with running(system) as started:
        console = started["io"]

        def cores(line: str, *expected: str) -> tuple[set[int], set[int]]:
            """Of the columns of cores, after those that are expected; none waits."""
            columns = line.split()
            assert columns[:4] == list(expected[:4]) and columns[6:] == ["-", *expected[4:]], line
            return numbers(columns[4]), numbers(columns[5])

        def awake(at: set[int], *programs: str) -> None:
            """Asked again: what was started or killed a moment ago need not have come to rest."""
            n = str(len(programs))
            for _ in range(20):
                said = typed(console, "top", r"PROGRAMS\r*\n(.*?)\n(.*?)\n")
                lit, dark = cores(said[1], "1", n, n, str(limit), *programs)
                assert SERVER in lit and dark == set(range(HARTS)) - lit, said[1]
                if lit - {0} == at:
                    break
            assert lit - {0} == at, said[1]
            lit, dark = cores(said[2], "0", "0", "0", "-")
            assert 2 in lit and dark == set(range(6)) - lit, said[2]  # its server's core

        awake({SERVER})
        typed(console, "run /spawned rest &", r"\[\d+\]")
        awake({SERVER}, "spawned")
        number = typed(console, "run /spawned busy &", r"\[(\d+)\]")[1]
        awake({SERVER, SLOTS[1]}, "spawned", "spawned")
        typed(console, f"kill {number}", r"killed")
        awake({SERVER}, "spawned")
        typed(console, "exit", "")
        assert started.wait(60) == 0


PROMPT = 2_500_000
"""Instructions of all harts, from their first ones to where the shell writes its prompt."""
WRITES, SHELL = "process_call_console_write", 5  # the kernel's function; the hart of io's core 1, behind five masters


def test_the_shell_has_its_prompt_within_its_budget_of_instructions(running, tmp_path: Path) -> None:
    """`./amalgam run manycore` shows it within ten seconds (docs/servers.md); how fast a host is, is no test's."""
    system = yaml.safe_load((paths.SYSTEMS / "manycore.yaml").read_text(encoding="utf-8"))
    at = visits.symbols(build_kernel("cluster-spawn", lambda _text: None), plain=False)[WRITES]
    with running(system, clocks.options(tmp_path / "clocks", places={at: 1})) as started:
        started["io"].expect(r"serves port 4 of cluster 0\s+\$ $", 60)  # what the shell writes first
        started["io"].send("exit\r")
        assert started.wait(60) == 0
    (first, *_) = [mark for mark in clocks.read(tmp_path / "clocks").marks if mark.hart == SHELL]
    assert PROMPT / 5 < first.all < PROMPT, first.all
