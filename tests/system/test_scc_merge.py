# SPDX-License-Identifier: MIT
"""`scc merge`: the controllers' images hold, byte for byte, what the board's own loading puts into memory; wrong rules are refused."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.board.dead import Memory
from amalgam.board.scc import BOARD_MEMORY, CORES, DIRECTORY, KERNEL, SEED_AT, SLICE, SYSTEM, Piece, SccMachine, own_memory
from amalgam.board.seeds import SEED_SIZE
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.scc import rules
from amalgam.scc.controllers import CONTROLLERS, OWN, START_UP, board_address, controller_of, cores_of
from amalgam.scc.merge import checked, image_path

MERGED = paths.BUILD / "test-scc-merged"


@pytest.fixture(scope="module")
def merged() -> dict[str, object]:
    words = [paths.ROOT / "amalgam", "scc", "merge", "scc", "-o", MERGED, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=paths.ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def data(file: int, start: int, size: int) -> Iterator[tuple[int, bytes]]:
    """What a file has between holes: places from `start` on, and bytes."""
    at, end = start, start + size
    while at < end:
        try:
            at = os.lseek(file, at, os.SEEK_DATA)
        except OSError:  # nothing but a hole
            return
        hole = min(os.lseek(file, at, os.SEEK_HOLE), end)
        if at < end:
            yield at - start, os.pread(file, hole - at, at)
        at = hole


def slice_of(file: int, start: int) -> bytes:
    whole = bytearray(SLICE)
    for at, some in data(file, start, SLICE):
        whole[at : at + len(some)] = some
    return bytes(whole)


def test_the_images_are_what_the_emulator_loads(merged: dict[str, object], one_board: None) -> None:
    """The emulator loads its memory before its monitor, which ends it here before any core's first instruction. Besides each start has random
    bytes, which no image that is kept has."""
    kernel = build_kernel("scc", lambda _text: None)
    with Memory(BOARD_MEMORY) as memory:
        machine = SccMachine("pc", "pentium,mmx=off", kernel=kernel, image=paths.BUILD / "systems" / "scc.img", program="qemu-system-i386")
        machine.ram, machine.extra = memory.file, ["-S", "-monitor", "stdio"]
        done = subprocess.run(machine.command(), input=b"quit\n", capture_output=True, pass_fds=machine.passed(), timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        for controller in CONTROLLERS:
            with image_path(MERGED, controller).open("rb") as image:
                for number, core in enumerate(cores_of(controller)):
                    loaded = slice_of(memory.file, own_memory(core))
                    assert any(loaded[SEED_AT : SEED_AT + SEED_SIZE])
                    loaded = loaded[:SEED_AT] + bytes(SEED_SIZE) + loaded[SEED_AT + SEED_SIZE :]
                    assert loaded == slice_of(image.fileno(), number * SLICE), f"core {core}"
                    assert loaded.find(b"SCC0", DIRECTORY) == 0x9000  # something was loaded, its number is another one
                    assert loaded[0x9004] == core
                image.seek((START_UP + 1) * SLICE - 0x10000)
                assert image.read(0x10000) == kernel.with_name("reset.bin").read_bytes()


def test_each_controller_has_a_quadrant_and_no_bytes_for_holes(merged: dict[str, object]) -> None:
    assert cores_of("mch_0_0") == [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]
    assert [controller_of(core) for core in (6, 23, 24, 30, 41, 47)] == ["mch_5_0", "mch_5_0", "mch_0_2", "mch_5_2", "mch_0_2", "mch_5_2"]
    for controller in CONTROLLERS:
        assert len(cores_of(controller)) == OWN
        assert image_path(MERGED, controller).stat().st_blocks * 512 < 8 << 20


def test_what_is_shown_is_what_is_written(merged: dict[str, object]) -> None:
    made = rules.read(merged["rules"])
    assert made == sorted(rules.made())
    assert rules.read(json.loads((MERGED / "board.json").read_text())["rules"]) == made
    rules.check(made)
    assert [board_address(r.controller, r.slice) for r in made if r.entry == 0] == [own_memory(core) for core in range(CORES)]
    assert rules.table_rows(made)[29][:3] == ["29", "(2,2)", "mch_0_2:5 (0x1e000000)"]


@pytest.mark.parametrize(
    ("core", "entry", "change", "says"),
    [
        (5, 0, {"slice": 3}, "core 5, LUT entry 0: slice 3 of mch_0_0 is core 3's memory"),
        (5, 0, {"controller": "mch_5_2"}, "core 5, LUT entry 0: slice 5 of mch_5_2 is core 35's memory"),
        (5, 0, {"entry": 1}, "core 5, LUT entry 1: a core's own memory is at entry 0"),
        (5, 0, {"entry": 128}, "core 5, LUT entry 128 is there twice"),
        (
            9,
            128,
            {"slice": 12},
            "core 9, LUT entry 128: slice 12 of mch_0_0 is the start-up code of other cores; this core's is behind mch_5_0",
        ),
        (9, 128, {"entry": 129}, "core 9, LUT entry 129: the shared memory is at entry 128"),
        (9, 128, {"entry": 129}, "core 9: entry 128 does not show the shared memory"),
        (9, 128, {"controller": "mch_5_0"}, "core 9, LUT entry 128: mch_5_0 has the slices 0 to 12, not 13"),
        (47, 255, {"entry": 256}, "core 47, LUT entry 256: a LUT has the entries 0 to 255"),
        (47, 255, {"core": 48}, "core 48, LUT entry 255: there are the cores 0 to 47"),
        (47, 255, {"controller": "mch_1_1"}, "there is no controller 'mch_1_1'"),
    ],
)
def test_a_wrong_rule_is_refused(core: int, entry: int, change: dict[str, int | str], says: str) -> None:
    wrong = [replace(rule, **change) if (rule.core, rule.entry) == (core, entry) else rule for rule in rules.made()]
    with pytest.raises(UserError) as error:
        rules.check(wrong)
    assert says in error.value.what


def test_another_view_of_the_own_memory_is_refused() -> None:
    with pytest.raises(UserError, match=r"core 7, LUT entry 4: slice 13 of mch_0_0 is at entry 128 already"):
        rules.check([*rules.made(), rules.Rule(7, 4, "mch_0_0", 13)])


@pytest.mark.parametrize(
    "rows",
    [
        None,
        [1],
        [{"core": 1}],
        [{"core": "1", "entry": 0, "controller": "mch_0_0", "slice": 1}],
        [{"core": True, "entry": 0, "controller": "mch_0_0", "slice": 1}],
    ],
)
def test_rules_of_another_form_are_refused(rows: object) -> None:
    with pytest.raises(UserError, match="the LUT rules are wrong"):
        rules.read(rows)


def test_pieces_that_reach_into_each_other_are_refused() -> None:
    with pytest.raises(UserError, match="core 3: the kernel ends at 0x800001, behind the system image at 0x800000"):
        checked(3, [Piece("system image", b"x", SYSTEM), Piece("kernel", bytes(SYSTEM - KERNEL + 1), KERNEL)])
    with pytest.raises(UserError, match="core 3: the system image ends at 0x1000001, behind the end of its slice at 0x1000000"):
        checked(3, [Piece("system image", bytes(SLICE - SYSTEM + 1), SYSTEM)])


def test_a_system_of_another_board_is_refused() -> None:
    words = [paths.ROOT / "amalgam", "scc", "merge", "debian", "-o", str(Path("/nonexistent"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=paths.ROOT)
    assert done.returncode == 2
    assert "debian.yaml is of the shape pc" in done.stderr
