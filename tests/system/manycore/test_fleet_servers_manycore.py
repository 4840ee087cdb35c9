# SPDX-License-Identifier: MIT
"""Servers of files and of processes, and the shell, across machines (docs/servers.md): a cluster of these boards is an emulator of its own, with a
clock of its own. One is killed in the middle, as a broken machine ends, and starts again alone. The long run's: nothing repeats on a fleet."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import SCALE, Console
from amalgam.board.manycore_fleet import ManycoreFleetBoard
from test_fleet_manycore import fleet  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.beside, pytest.mark.full]

SPAWNS = {"manycore-fleet": "shape:cluster-spawn", "manycore-fleet32": "shape:cluster32-spawn"}
CLIENTS, SERVES = (2, 3), 1  # clusters; the one whose machine is killed
BOUND = 10  # seconds, of a patience of 2: three questions of 100 ms each, on a host that has other work


def system(board: str) -> dict[str, Any]:
    """Process servers in the first two clusters, the file server in the second one, too."""
    process = {
        "kind": "process",
        "program": "build:server-process.elf",
        "arguments": ["process", "share=2"],
        "memory": "512K",
        "threads": 1,
    }
    process |= {"cores": [1], "spawn": {"slots": 4, "memory": "192K"}}
    files = {
        "kind": "process",
        "program": "build:server-file.elf",
        "arguments": ["file", "quota=32"],
        "memory": "512K",
        "threads": 1,
        "cores": [2],
    }
    client = {
        "kind": "process",
        "program": "build:nanvix-across.elf",
        "arguments": ["across", *map(str, CLIENTS)],
        "memory": "1M",
        "threads": 1,
    }
    client |= {"files": "build:started-spawned.elf", "environment": {"PROCESSES": f"0,{SERVES}", "FILES": str(SERVES)}}
    clusters = {
        "c0": {"kind": "io", "harts": 6, "memory": "4M", "domains": {"process": process}},
        "c1": {"harts": 7, "memory": "4M", "domains": {"process": process, "file": files}},
    }
    clusters |= {f"c{i}": {"harts": 2, "memory": "2M", "domains": {"asks": client}} for i in CLIENTS}
    return {"system": "across", "board": board, "kernel": SPAWNS[board], "clusters": clusters, "patience": "2s"}


def no_fault(started: ManycoreFleetBoard) -> None:
    text = {name: started[name].text for name in started.names}
    wrong = {name: re.findall(r"^.*(?:PANIC|WRONG|: fault).*$", said, re.MULTILINE) for name, said in text.items()}
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize("board", SPAWNS)
def test_a_machine_with_servers_that_is_killed_is_an_error_for_its_clients_and_no_more(fleet, board: str) -> None:  # noqa: F811
    """Programs run on another machine's cluster and files are read across, exactly, before and afterwards. What rests on the killed machine is EIO
    once, and programs go on at the other server meanwhile."""
    with fleet(system(board)) as started:
        clients = [started[f"c{i}"] for i in CLIENTS]
        for console in clients:
            console.expect(r"^across: one rests at 1$", 120)
            console.expect(r"^across: \d+ rounds", 120)
        started.kill(SERVES)
        killed = time.monotonic()
        for console in clients:
            said = console.expect(r"what rests at 1 is lost: (\w+) after (\d+) ms", 60)
            assert said[1] == "EIO" and int(said[2]) < BOUND * 1000 * SCALE
        assert time.monotonic() - killed < 3 * BOUND * SCALE
        rounds = [int(console.expect(r"^across: (\d+) rounds", 120)[1]) for console in clients]
        assert started.alive() == [0, *CLIENTS]
        started.restart(SERVES)
        for console, before in zip(clients, rounds, strict=True):
            console.expect(r"^across: one rests at 1$", 120)
            while int(console.expect(r"^across: (\d+) rounds", 120)[1]) < before + 5:
                pass
        no_fault(started)


def patiently(console: Console, line: str, said: str) -> re.Match[str]:
    """Type a line until the shell says this, and not that a server was late."""
    late = r"clusters take it|may be lost|lost: its server"
    for _ in range(12):
        console.expect(r"\$ ", 60)
        console.send(f"{line}\r")
        if (found := console.expect(rf"(?s){re.escape(line)}\r*\n.*?(?:({said})|{late})", 60))[1]:
            return found
    raise AssertionError(f"{line}: servers are always late")


def test_the_shell_runs_programs_on_other_machines_and_says_what_is_lost_with_one(fleet) -> None:  # noqa: F811
    """What runs on the killed one is lost; the others take programs meanwhile, and the killed one does when it is back."""
    made = yaml.safe_load((paths.SYSTEMS / "manycore.yaml").read_text(encoding="utf-8")) | {"board": "manycore-fleet", "patience": "2s"}
    made["clusters"]["compute"] |= {"count": 2, "harts": 5}
    made["clusters"]["io"]["domains"]["shell"]["environment"]["PROCESSES"] = "0,1,2"
    with fleet(made) as started:
        console = started["io"]
        patiently(console, "cat /etc/motd", "help lists what the shell does")
        patiently(console, "run hello -c 3 word", r"(?=.*0: argv\[1\] = word)(?=.*1: argv\[1\] = word).*2: argv\[1\] = word")
        numbers = patiently(console, "run rest -c 3 &", r"\[\d+\]\s+\[\d+\]\s+\[\d+\]")[1]
        last = re.findall(r"\d+", numbers)[2]
        started.kill(2)
        killed = time.monotonic()
        console.send("\r")  # it is said before a prompt
        console.expect(rf"\[{last}\] lost: its server has begun anew, or does not answer", 60)
        assert time.monotonic() - killed < BOUND * SCALE
        patiently(console, "run hello -c 2", "1: environment: RANK=1")
        started.restart(2)
        started["compute1"].expect("(?s)process: serves.*process: serves", 60)
        patiently(console, "run hello -c 3", "2: environment: RANK=2")
        no_fault(started)
        console.expect(r"\$ ", 60)
        console.send("exit\r")
        assert started.wait(60) == 0
