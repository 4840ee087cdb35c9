# SPDX-License-Identifier: MIT
"""`scc boot`: a board booted from merged images says what the direct one says; images that were changed or mixed are refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.machine import machine_for
from amalgam.board.monitor import command
from amalgam.board.scc import SLICE
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.scc.boot import booted
from amalgam.scc.controllers import START_UP
from amalgam.scc.fleet import booted_fleet
from amalgam.scc.images import Images, cores_from
from amalgam.scc.merge import START_UP_BYTES, image_path, merge
from support import said
from turns import turn

CHOSEN = (0, 5, 47)
PROGRAM = {"kind": "native", "program": "build:pingpong.elf", "arguments": ["pingpong", "32", "10"], "ues": list(CHOSEN), "memory": "256K"}
WHOLE = {"system": "scc-merged", "board": "scc", "domains": {"pingpong": PROGRAM}}


@pytest.fixture(scope="module")
def merged(images: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    build_kernel("scc", lambda _text: None)
    system, image = images.get(WHOLE)
    folder = tmp_path_factory.mktemp("merged")
    merge(machine_for(system, image), {"system": "scc-merged", "domains": ["pingpong"]}, folder)
    return folder


def play(board: Board) -> tuple[str, str]:
    """What pingpong and the kernels say until all is done; the last line of each is awaited, and its rest may be on the way."""
    said(board, "kernel", r"all 3 kernels are up")
    ends = [said(board, "kernel", rf"core {core}: .*domain pingpong: done").start() for core in CHOSEN[1:]]
    end = said(board, "pingpong", r"UE 2, 10 times 32 bytes and back, \d+ ns each way, 0 wrong").end()
    return board["pingpong"].text[:end], board.kernel.text[: max(ends)]


def test_it_says_what_the_direct_board_says(boot: Any, merged: Path) -> None:
    """Both count instructions, so what they say is the same to the nanosecond."""
    with turn(shared=True), booted(Images(merged), CHOSEN, icount=True) as running:
        from_images, board = play(running.board), running.board
        command(board, "kernels")
        assert re.search(r"^3 of 48 kernels run", board.kernel.text, re.MULTILINE)
    assert "ns each way, 0 wrong" in from_images[0]
    assert from_images == direct(boot)


def direct(boot: Any) -> tuple[str, str]:
    with boot(WHOLE, icount=True, chosen=CHOSEN) as board:
        return play(board)


@pytest.mark.parametrize("how", ["--icount", "--fleet"])
def test_the_command_boots_the_chosen_cores(merged: Path, one_board: None, how: str) -> None:
    words = [paths.ROOT / "amalgam", "scc", "boot", merged, "--cores", "0,46-47", how, "--command", "kernels"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=paths.ROOT, timeout=600)
    assert done.returncode == 0, done.stderr
    picture = re.findall(r"^[ \d-]+$", done.stdout, re.MULTILINE)  # what a kernel says meanwhile stands between its lines
    assert re.findall(r" (\d\d)", "\n".join(picture)) == ["46", "47", "00"]
    assert "3 of 48 kernels run" in done.stdout


def test_the_same_images_boot_as_a_fleet(merged: Path, one_board: None) -> None:
    """An emulator for each core, with memory of its own; the program's messages go between them."""
    with booted_fleet(Images(merged), CHOSEN) as running:
        assert play(running.board)[0].count("0 wrong") == 2
        assert running.board.alive() == list(CHOSEN)


def test_core_0_must_boot(merged: Path) -> None:
    with pytest.raises(UserError, match="core 0 starts the others"), booted(Images(merged), (1, 2)):
        pass


def write(folder: Path, controller: str, at: int, data: bytes) -> None:
    with image_path(folder, controller).open("r+b") as file:
        file.seek(at)
        file.write(data)


def swap(folder: Path) -> None:
    """Core 5's memory is a copy of core 4's."""
    file = image_path(folder, "mch_0_0")
    with file.open("rb") as image:
        image.seek(4 * SLICE)
        data = image.read(1 << 20)
    write(folder, "mch_0_0", 5 * SLICE, data)


def rewrite(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "board.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(change(record) or record))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (swap, "core 5: its memory in mch_0_0.img has the information of core 4"),
        (lambda f: write(f, "mch_0_0", 5 * SLICE + 0x9000, bytes(4)), "core 5: its memory in mch_0_0.img has no information at 0x9000"),
        (
            lambda f: write(f, "mch_0_0", 5 * SLICE + 0x9020, b"\1\0\0\1"),
            "core 5: its memory in mch_0_0.img has another LUT than the rules say",
        ),
        (lambda f: write(f, "mch_0_0", 5 * SLICE + 0x8000, b"\x83\0\0\0"), "core 5: its memory in mch_0_0.img has another LUT"),
        (
            lambda f: write(f, "mch_5_2", (START_UP + 1) * SLICE - START_UP_BYTES, b"\x90"),
            "the start-up code of mch_5_2 and of mch_0_0 differ",
        ),
        (lambda f: os.truncate(image_path(f, "mch_0_2"), SLICE), "mch_0_2.img is no image of 218,103,808 bytes"),
        (lambda f: image_path(f, "mch_0_2").unlink(), "mch_0_2.img is no image of"),
        (lambda f: rewrite(f, lambda r: r["rules"][0].update(slice=1)), "core 0, LUT entry 0: slice 1 of mch_0_0 is core 1's memory"),
        (lambda f: rewrite(f, lambda r: r.update(format=2)), "is not of format 1"),
        (lambda f: rewrite(f, lambda r: r.update(domains=[1])), "lists no domains"),
        (lambda f: rewrite(f, lambda _: [1]), "is not of format 1"),
        (lambda f: (f / "board.json").write_text("{"), "there are no merged images in"),
    ],
)
def test_changed_or_mixed_images_are_refused(merged: Path, tmp_path: Path, damage: Callable[[Path], Any], says: str) -> None:
    folder = tmp_path / "copy"
    subprocess.run(["cp", "-r", "--sparse=always", merged, folder], check=True)
    damage(folder)
    with pytest.raises(UserError) as error, booted(Images(folder), CHOSEN):
        pass
    assert says in error.value.what
    shutil.rmtree(folder)


@pytest.mark.parametrize("word", ["", "0,", "48", "0-48", "5-3", "-3", "a", "0-1-2", "\u0663\u0664\u0665"])
def test_a_wrong_list_of_cores_is_refused(word: str) -> None:
    with pytest.raises(UserError, match="is no core or range of cores"):
        cores_from(word)


def test_a_list_of_cores() -> None:
    assert cores_from("12-14,0,5,13") == [0, 5, 12, 13, 14]
