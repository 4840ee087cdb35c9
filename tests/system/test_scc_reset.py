# SPDX-License-Identifier: MIT
"""`scc reset`: a core starts anew from its image while its neighbours go on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.machine import machine_for
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.scc.boot import booted
from amalgam.scc.images import Images
from amalgam.scc.merge import merge
from support import said
from turns import turn

CHOSEN = (0, 5, 46, 47)
ROUNDS = 400_000  # of ping-pong: they last longer than two resets


def merged_with(rounds: int, images: Any, folder: Path) -> Path:
    arguments = ["pingpong", "32", str(rounds)]
    program = {"kind": "native", "program": "build:pingpong.elf", "arguments": arguments, "ues": [5, 46], "memory": "256K"}
    build_kernel("scc", lambda _text: None)
    system, image = images.get({"system": "scc-reset", "board": "scc", "domains": {"pingpong": program}})
    merge(machine_for(system, image), {"system": "scc-reset", "domains": ["pingpong"]}, folder)
    return folder


@pytest.fixture(scope="module")
def merged(images: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return merged_with(1, images, tmp_path_factory.mktemp("merged"))


@pytest.mark.parametrize("icount", [True, False])
def test_neighbours_go_on_while_a_core_is_reset(images: Any, tmp_path: Path, icount: bool) -> None:
    """Ping-pong of cores 5 and 46 is under way before and after the resets, and every byte of it is right."""
    folder = merged_with(ROUNDS, images, tmp_path)
    with turn(shared=icount), booted(Images(folder), CHOSEN, icount) as running:
        board = running.board
        said(board, "kernel", r"all 4 kernels are up")
        for _ in range(2):
            start = len(board.kernel.text)
            running.reset([47])
            board.kernel.seek(start)
            board.kernel.expect(r"scc: all 4 kernels are up")
        assert "0 wrong" not in board.kernel.text
        starts = [int(core) for core in re.findall(r"^core (\d+): (?:\[amalgam\] )?scc: tile", board.kernel.text, re.MULTILINE)]
        assert sorted(starts) == [5, 46, 47, 47, 47]
        command(board, "mail 47 20")
        said(board, "kernel", rf"core 5: .*pingpong: UE 1, {ROUNDS} times 32 bytes and back, \d+ ns each way, 0 wrong")


def test_a_core_whose_memory_nobody_loads_waits_and_others_go_on(merged: Path) -> None:
    """The control console alone: the used memory is not started from again, until the host has loaded it."""
    with turn(shared=True), booted(Images(merged), CHOSEN, icount=True) as running:
        board = running.board
        said(board, "kernel", r"all 4 kernels are up")
        command(board, "reset 47")
        with pytest.raises(UserError, match="refused"):
            command(board, "mail 47 1")
        command(board, "mail 46 20")
        command(board, "kernels")
        said(board, "kernel", r"3 of 48 kernels run")
        running.reset([47])
        command(board, "mail 47 20")
        for line in ("reset 0", "reset 4", "reset 48", "reset", "reset 5x", "reset 4294967301"):
            with pytest.raises(UserError, match="refused"):
                command(board, line)
        for cores in ([0], [4], [5, 48]):
            with pytest.raises(UserError, match="only cores that were booted"):
                running.reset(cores)


@pytest.mark.parametrize("how", ["--icount", "--fleet"])
def test_the_command_asks_the_board_of_another_terminal(merged: Path, one_board: None, how: str) -> None:
    boot = [paths.ROOT / "amalgam", "scc", "boot", merged, "--cores", "0,46-47", how]
    reset = [paths.ROOT / "amalgam", "scc", "reset", merged, "--cores"]
    alone = subprocess.run([*reset, "46"], capture_output=True, text=True, check=False, cwd=paths.ROOT, timeout=60)
    assert (alone.returncode, "answers" in alone.stderr) == (1, True)
    with subprocess.Popen(boot, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=paths.ROOT) as board:
        assert board.stdin and board.stderr
        while "Ctrl-D leaves" not in board.stderr.readline():
            assert board.poll() is None
        done = subprocess.run([*reset, "46-47"], capture_output=True, text=True, check=False, cwd=paths.ROOT, timeout=300)
        assert (done.returncode, "2 cores run again" in done.stderr) == (0, True), done.stderr
        done = subprocess.run([*reset, "5"], capture_output=True, text=True, check=False, cwd=paths.ROOT, timeout=300)
        assert (done.returncode, "only cores that were booted" in done.stderr) == (1, True), done.stderr
        answer, _ = board.communicate("kernels\n", timeout=60)
        assert board.returncode == 0
        assert "3 of 48 kernels run" in answer
    assert not (merged / "board.sock").exists()
