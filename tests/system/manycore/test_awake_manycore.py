# SPDX-License-Identifier: MIT
"""Cores that programs of a cluster have awake: not more than the system file permits, in the time of the counting plugin, in which harts run
at the same time and each word of memory tells who came first; and all work is done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.build.kernel import build_kernel
from amalgam.measure import clocks
from amalgam.measure.clocks import Event
from amalgam.paths import ROOT
from amalgam.system.compile import checked
from manycores import BOARDS, KERNELS

pytestmark = pytest.mark.beside

HARTS, THREADS, ROUNDS = 9, 8, 6
HANDED_OVER = 2_000  # instructions that a core may take from giving its place away until it is asleep, and one to be woken in vain
SUM = THREADS * ROUNDS * (ROUNDS + 1) // 2


@pytest.fixture(autouse=True, scope="module")
def kernels() -> None:
    for kernel in KERNELS.values():
        build_kernel(kernel.removeprefix("shape:"), lambda _text: None)


def at_once(events: Iterable[Event], slaves: range) -> int:
    """How many of these harts are awake at the same time at most, for longer than a hand-over takes, from the first mark on."""
    woken: dict[int, int] = {}
    edges: list[tuple[int, int]] = []
    for event in events:
        if event.hart not in slaves or not event.marks:
            continue
        if event.what == "wake":
            woken[event.hart] = event.path
        elif event.what == "sleep" and event.path - woken.get(event.hart, event.path) > HANDED_OVER:
            edges += [(woken[event.hart], 1), (event.path - HANDED_OVER, -1)]
    now = most = 0
    for _, step in sorted(edges):
        now += step
        most = max(most, now)
    return most


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("limit", [1, 2, 5, None])
def test_no_more_cores_are_awake_than_the_system_file_permits_and_all_work_is_done(
    running, tmp_path: Path, board: str, limit: int | None
) -> None:
    machine = MACHINES["riscv64" if board == "manycore" else "riscv32"]
    program, out = tmp_path / "awake.elf", tmp_path / "clocks"
    words = ["-O2", f"-I{ROOT}/user/programs", str(Path(__file__).with_name("awake.c")), "-o", str(program)]
    assert programs.compile_program(words, programs.toolchain(lambda _text: None, machine), machine) == 0
    arguments = ["awake", str(THREADS), str(ROUNDS)]
    process = {"kind": "process", "program": str(program), "arguments": arguments, "memory": "512K", "power": "board"}
    cluster = {"kind": "io", "harts": HARTS, "domains": {"awake": process}} | ({"awake": limit} if limit else {})
    system = {"system": "awake", "board": board, "kernel": KERNELS[board], "clusters": {"io": cluster}}
    path = tmp_path / "placed.yaml"
    path.write_text(yaml.safe_dump(system, sort_keys=False), encoding="utf-8")
    placed = checked(path, True, lambda _text: None)
    with running(system, clocks.options(out, [(placed.noc, placed.end)], events=True, sleeps=True)) as started:
        assert started.wait(120) == 0
        said = re.search(r"awake: sum (\d+), limit (\d+), most (\d+), now (\d+)", started.consoles[0].text)
    assert said, started.consoles[0].text
    most = at_once(clocks.read(out).events, range(1, HARTS))
    if limit:
        assert [int(word) for word in said.groups()] == [SUM, limit, limit, 1]
        assert most == limit
    else:
        assert [int(word) for word in said.groups()] == [SUM, 0, 0, 0]
        assert most == THREADS
