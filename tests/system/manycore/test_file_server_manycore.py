# SPDX-License-Identifier: MIT
"""A file server in the I/O cluster, and programs of other clusters that share its files (user/servers/file, docs/servers.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside


def system(board: str, folder: Path, clients: int, words: list[str], *more: str) -> dict[str, Any]:
    """A server with `more` arguments in the first cluster, and clients with these words in the other ones."""
    files = folder / "served"
    files.mkdir(exist_ok=True)
    (files / "given").write_bytes(b"as it was given")
    server = {"kind": "process", "program": "build:server-file.elf", "arguments": ["file", *more], "memory": "1M", "threads": 1}
    server |= {"restart": ["fault"], "files": str(files)}
    program = {"kind": "process", "program": "build:nanvix-files.elf", "arguments": ["files", *words], "memory": "512K", "threads": 1}
    made: dict[str, Any] = {"io": {"kind": "io", "harts": 4, "memory": "4M", "domains": {"file": server}}}
    made |= {f"c{i}": {"harts": 4, "memory": "2M", "domains": {"program": program}} for i in range(1, clients + 1)}
    return {"system": "files", "board": board, "kernel": KERNELS[board], "clusters": made}


@pytest.mark.parametrize("board", BOARDS)
def test_a_program_uses_the_files_of_another_clusters_server(running, board: str, tmp_path: Path) -> None:
    """Each call, rightly and wrongly, to the end of its cluster's quota."""
    with running(system(board, tmp_path, 1, ["check"])) as started:
        started["c1"].expect(r"files: right", 60)


@pytest.mark.parametrize("board", BOARDS)
def test_programs_of_three_clusters_share_files(running, board: str, tmp_path: Path) -> None:
    with running(system(board, tmp_path, 3, ["share", "3"])) as started:
        for i in range(1, 4):
            started[f"c{i}"].expect(rf"files: cluster {i} has read what 3 have written", 60)


def test_a_file_server_that_dies_again_and_again_is_an_error_once_for_each_life(
    running, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """It dies in the middle of whatever it is asked, by three clusters."""
    rounds, messages, deaths = (1000, 853, 200) if request.config.getoption("full") else (60, 2111, 4)
    with running(system("manycore", tmp_path, 3, ["rounds", str(rounds)], f"dies={messages}")) as started:
        for i in range(1, 4):
            said = started[f"c{i}"].expect(r"files: (\d+) done, (\d+) lost", 600 if deaths > 4 else 120)
            died = len(re.findall(r"domain file: fault", started["io"].text))
            assert 0 < int(said[2]) <= died and int(said[1]) + int(said[2]) == rounds
        assert died >= deaths


def test_reads_go_on_beside_a_program_that_dies_in_its_own_reads(running, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """A page may have been sent to a port that has no reader any more; its server sends a cluster one at a time."""
    reads = 50000 if request.config.getoption("full") else 1500
    made = system("manycore", tmp_path, 1, ["reads", str(reads)], "quota=1000")
    program = made["clusters"]["c1"]["domains"].pop("program")
    faults = program | {"arguments": ["files", "faults"], "threads": 2, "cores": [3], "restart": ["fault"]}
    made["clusters"]["c1"]["domains"] = {"reads": program | {"cores": [1]}, "faults": faults}
    with running(made) as started:
        started["c1"].expect(rf"files: {reads} reads", 90)
        deaths = len(re.findall(r"domain faults: fault", started["c1"].text))
        assert deaths >= 2
        assert "file: no memory for what 1000 KiB of each cluster may become" in started["io"].text
        assert deaths < 4 or "file: cluster 1: a question was refused" in started["io"].text
