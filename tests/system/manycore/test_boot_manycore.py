# SPDX-License-Identifier: MIT
"""All clusters and harts come up, by the same instructions each time."""

from __future__ import annotations

import re

import pytest
from manycores import BOARDS, Start

pytestmark = pytest.mark.beside

SHAPES = {
    "5x4": {"io": {"kind": "io"}, "compute": {"count": 4}},
    "5x17": {"io": {"kind": "io", "harts": 17}, "compute": {"count": 4, "harts": 17}},
    "mppa-256": {"io": {"kind": "io", "count": 4}, "compute": {"count": 16, "harts": 17}},
    "slices": {"io": {"kind": "io", "memory": "16M"}, "a": {"memory": "2M"}, "b": {"memory": "8M"}, "c": {"memory": "4M", "harts": 1}},
}
COUNTS = {"5x4": (5, 20), "5x17": (5, 85), "mppa-256": (20, 288), "slices": (4, 13)}
BOOT_MOST = 1_500_000  # instructions of all harts


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_all_harts_come_up(clusters: Start, board: str, shape: str) -> None:
    said = clusters({"system": shape, "board": board, "kernel": "build:up.elf", "clusters": SHAPES[shape]}).consoles[0].text
    found = re.fullmatch(r"up: (\d+) clusters, (\d+) harts, (\d+) instructions\n", said)
    assert found and (int(found[1]), int(found[2])) == COUNTS[shape], said
    assert int(found[3]) <= BOOT_MOST


def test_as_many_harts_as_the_emulator_has(clusters: Start) -> None:
    layout = {"io": {"kind": "io", "harts": 2}, "compute": {"count": 30, "harts": 17}}
    said = clusters({"system": "most", "board": "manycore", "kernel": "build:up.elf", "clusters": layout}).consoles[0].text
    assert said.startswith("up: 31 clusters, 512 harts, ")


def test_every_start_is_the_same_to_the_instruction(clusters: Start) -> None:
    system = {"system": "same", "board": "manycore", "kernel": "build:up.elf", "clusters": SHAPES["5x17"]}
    assert len({clusters(system).consoles[0].text for _ in range(3)}) == 1


def test_a_cluster_gets_its_module_as_it_is(running, tmp_path) -> None:
    """Of any length; another cluster has none."""
    (tmp_path / "text").write_bytes(b"word " * 30 + b"end\0")
    layout = {"io": {"kind": "io", "module": "text"}, "a": {}}
    with running({"system": "module", "board": "manycore", "kernel": "build:echo.elf", "clusters": layout}) as board:
        board["io"].expect("^module of 154 bytes: (word ){30}end$")
        board["a"].expect("ready")
        assert "module" not in board["a"].text
        board["io"].send("off\n")
        assert board.wait() == 0


def test_each_cluster_has_a_console_both_ways(running) -> None:
    system = {"system": "echo", "board": "manycore", "kernel": "build:echo.elf", "clusters": {"io": {"kind": "io"}, "a": {"count": 2}}}
    with running(system) as board:
        for name in board.names:
            board[name].expect("ready")
        for number, name in enumerate(board.names):
            board[name].send(f"this is for {name}\n")
            board[name].expect(f"^{number}: this is for {name}$")
        board["a1"].send("\xff and more than it takes at once\n")  # than the line's 16 bytes, not than the 64 kept for a cluster
        board["a1"].expect("2: .* and more than it")
        assert "more" not in board["a0"].text + board["io"].text
        board["io"].send("off\n")
        assert board.wait() == 0
