# SPDX-License-Identifier: MIT
"""Processes of clusters exchange numbered mails, pages and signals in a ring, and some meet at barriers (deaths.c). Five die or begin at
once: by a fault, by a hang, by their own end, with a cluster that is reset; and those that hang or have ended begin again when their
cluster is reset, as clusters have neither watchdogs nor a control console that hears.

On one board all that is by its clock: the firmware resets clusters, a process in the first one tells the others to end, and each line says
in which half of a round it was. Who dies how is read from the lines when the board has gone off, and repeats with the seed.
"""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.board.console import Console
from amalgam.board.manycore_fleet import ManycoreFleetBoard
from amalgam.build.programs import compile_program, toolchain
from deaths import ROUNDS_SLOW, how_many, nobody_saw_wrong, rounds, seeded, wait_until
from manycores import KERNELS

pytestmark = pytest.mark.beside

CLUSTERS = [1, 2, 3, 4]
CONDUCTOR = 5  # of a fleet; on one board it is in cluster 0
RING = [(1, 0), (1, 1), (2, 0), (3, 0), (3, 1), (2, 1), (4, 0), (4, 1)]  # cluster, process; within a cluster, and on shared lanes
MAIL, PAGES, SIGNAL, BARRIER = range(4)
LAST = 4  # lines of a half that are looked at: the others are from while it begins
HALF_MS = 2000
HANGS_S = 3  # of a fleet's cluster: more than a patience
MACHINE = {"manycore": "riscv64", "manycore-fleet": "riscv64", "manycore32": "riscv32", "manycore-fleet32": "riscv32"}
SAID = re.compile(
    r"deaths: phase (\d+) member (\d)-(\d) exchange (\d): life (\d+) taken (\d+) missing (\d+) sent (\d+) dropped (\d+)\r*$", re.M
)

Member = tuple[int, int]
Exchange = tuple[Member, int]


@dataclass(frozen=True)
class Round:
    """One cluster's processes hang and end by themselves, another cluster is reset, of the others one process faults."""

    dark: int
    reset: int
    hangs: Member
    kill: Member

    @property
    def ends(self) -> Member:
        return self.dark, 1 - self.hangs[1]

    @property
    def letters(self) -> str:
        return "".join(chr(ord("a") + 2 * cluster + process) for cluster, process in (self.kill, self.hangs, self.ends))


def planned(rng: random.Random, n: int) -> list[Round]:
    made = []
    for _ in range(n):
        dark, reset, *others = rng.sample(CLUSTERS, 4)
        made.append(Round(dark, reset, (dark, rng.randrange(2)), rng.choice([m for m in RING if m[0] in others])))
    return made


def before(member: Member) -> Member:
    return RING[RING.index(member) - 1]


def exchanges(dark: int) -> list[Exchange]:
    """Each one by which a member takes something while a cluster's processes do not run; 0: all do."""
    found = []
    for m in RING:
        if dark not in (m[0], before(m)[0]):
            found += [(m, MAIL), (m, PAGES)] + [(m, SIGNAL)] * (m[0] != before(m)[0])
        if m[1] == 0 and not dark:
            found.append((m, BARRIER))
    return found


def name(member: Member) -> str:
    return f"{member[0]}-{member[1]}"


def process(program: Path, *arguments: object, **more: Any) -> dict[str, Any]:
    words = ["deaths", *map(str, arguments)]
    return {"kind": "process", "program": str(program), "arguments": words, "memory": "256K", "threads": 9} | more


def member_process(program: Path, half: int, m: Member) -> dict[str, Any]:
    following = RING[(RING.index(m) + 1) % len(RING)]
    return process(program, half, *map(name, (m, following, before(m))), *(CLUSTERS if m[1] == 0 else ()), restart=["fault"])


def clusters(program: Path, half: int) -> dict[str, Any]:
    return {f"c{n}": {"domains": {f"m{p}": member_process(program, half, (n, p)) for p in (0, 1)}} for n in CLUSTERS}


@pytest.fixture(scope="module")
def program_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    def compiled(board: str) -> Path:
        machine, made = MACHINES[MACHINE[board]], tmp_path_factory.mktemp(board) / "deaths.elf"
        words = ["-O2", "-Wall", "-Werror", str(Path(__file__).with_name("deaths.c")), "-o", str(made)]
        assert compile_program(words, toolchain(lambda _text: None, machine), machine) == 0
        return made

    return compiled


@dataclass
class Line:
    life: int
    taken: int


class Said:
    """What members have said, by phase, member and exchange, in its order."""

    def __init__(self, consoles: Iterable[Console], since: dict[str, int] | None = None):
        self.lines: dict[tuple[int, Member, int], list[Line]] = {}
        for console in consoles:
            for m in SAID.finditer(console.text, (since or {}).get(console.name, 0)):
                key = int(m[1]), (int(m[2]), int(m[3])), int(m[4])
                self.lines.setdefault(key, []).append(Line(int(m[5]), int(m[6])))

    def last(self, phase: int, member: Member, exchange: int = MAIL) -> list[Line]:
        return self.lines.get((phase, member, exchange), [])[-LAST:]

    def life(self, phase: int, member: Member) -> int:
        """The last one in the phase; 0: none."""
        lines = self.last(phase, member)
        return lines[-1].life if lines else 0

    def goes_on(self, phase: int, member: Member, exchange: int) -> bool:
        lines = self.last(phase, member, exchange)
        return len(lines) == LAST and lines[0].life == lines[-1].life and lines[0].taken < lines[-1].taken

    def stands(self, phase: int, member: Member, exchange: int) -> bool:
        lines = self.last(phase, member, exchange)
        return len(lines) == LAST and lines[0] == lines[-1]


def check_round(said: Said, number: int, what: Round) -> None:
    """In its first half those go on that run, and nobody meets; in the second one all do."""
    first = 2 * (number + 1)
    for phase, dark in ((first, what.dark), (first + 1, 0)):
        still = [(m, e) for m, e in exchanges(dark) if not said.goes_on(phase, m, e)]
        assert not still, f"round {number}, {what}: these take nothing in phase {phase}: {still}"
    meeting = [m for m in RING if m[1] == 0 and m[0] != what.dark and not said.stands(first, m, BARRIER)]
    assert not meeting, f"round {number}, {what}: these meet without all: {meeting}"
    begun = {m for m in RING if said.life(first + 1, m) > said.life(first - 1, m)}
    assert begun == {m for m in RING if m[0] in (what.dark, what.reset)} | {what.kill}, f"round {number}, {what}: these have begun: {begun}"


@pytest.mark.parametrize("board", ["manycore", pytest.param("manycore32", marks=pytest.mark.full)])
def test_five_deaths_at_once_leave_a_ring_of_clusters_that_goes_on(
    running: Any, program_for: Any, board: str, full: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    program, plan = program_for(board), planned(seeded(capsys, f"deaths on {board}"), how_many(full, ROUNDS_SLOW))
    kills = [(r.reset, 2 * n + 2) for n, r in enumerate(plan)] + [(r.dark, 2 * n + 3) for n, r in enumerate(plan)]
    conductor = process(program, "conduct", HALF_MS, "".join(r.letters for r in plan), power="board", threads=1)
    system = {
        "system": "deaths",
        "board": board,
        "kernel": KERNELS[board],
        "patience": "100ms",
        "clusters": {"c0": {"kind": "io", "domains": {"conductor": conductor}}} | clusters(program, HALF_MS),
        "kills": [{"cluster": f"c{n}", "at": f"{phase * HALF_MS}ms"} for n, phase in kills],
    }
    with running(system) as started:
        assert started.wait(60 + 20 * len(plan)) == 0, started["c0"].tail()
    consoles = [started[name] for name in started.names]
    nobody_saw_wrong(consoles)
    said = Said(consoles)
    for number, what in enumerate(plan):
        check_round(said, number, what)
    assert "PANIC" not in "".join(console.text for console in consoles)


class FleetStorm:
    """Each cluster is an emulator of its own: it is ended and started again at any moment, and may hang as a whole, too. Its last one
    begins anew for each round, to tell who is to end, and says that it has."""

    def __init__(self, board: ManycoreFleetBoard):
        self.board = board
        self.consoles = [board[f"c{n}"] for n in CLUSTERS]
        self.conductor = board[f"c{CONDUCTOR}"]
        self.told = 0  # rounds

    def await_told(self, what: Round, life: int) -> None:
        """The conductor's mails have come, and who is to die by a fault has begun again."""
        self.told += 1
        wait_until(lambda: self.conductor.text.count("deaths: told") >= self.told, lambda: f"nobody is told: {self.conductor.text[-600:]}")
        wait_until(lambda: Said(self.consoles).life(0, what.kill) > life, lambda: f"{what.kill} has not begun again")

    def again(self, number: int) -> None:
        self.board.kill(number)
        self.board.restart(number)

    def await_all(self, dark: int) -> None:
        """All go on that can, from here on."""
        since = {console.name: len(console.text) for console in self.consoles}

        def still() -> list[Exchange]:
            said = Said(self.consoles, since)
            return [(m, e) for m, e in exchanges(dark) if not said.goes_on(0, m, e)]

        wait_until(lambda: not still(), lambda: f"these take nothing: {still()}")
        nobody_saw_wrong(self.consoles)

    def round(self, what: Round) -> None:
        print(what)
        lives = {m: Said(self.consoles).life(0, m) for m in RING}
        other = self.board.nodes[next(n for n in CLUSTERS if n not in (what.dark, what.reset, what.kill[0]))].process
        assert other
        self.again(CONDUCTOR)
        other.send_signal(signal.SIGSTOP)
        self.again(what.reset)
        time.sleep(HANGS_S)
        other.send_signal(signal.SIGCONT)
        self.await_told(what, lives[what.kill])
        self.await_all(what.dark)
        self.again(what.dark)
        self.await_all(0)
        begun = {m for m in RING if Said(self.consoles).life(0, m) > lives[m]}
        assert begun == {m for m in RING if m[0] in (what.dark, what.reset)} | {what.kill}, f"these have begun: {begun}"


@pytest.mark.full
@pytest.mark.timeout(0)
@pytest.mark.parametrize("board", ["manycore-fleet", "manycore-fleet32"])
def test_five_deaths_at_once_leave_a_ring_of_a_fleet_that_goes_on(
    running: Any, program_for: Any, board: str, full: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    program, plan = program_for(board), planned(seeded(capsys, f"deaths on {board}"), how_many(full, ROUNDS_SLOW))
    conductor = process(program, "conduct", 0, "".join(r.letters for r in plan), threads=1)
    last = {f"c{CONDUCTOR}": {"harts": 2, "domains": {"conductor": conductor}}}
    system = {
        "system": "deaths",
        "board": board,
        "kernel": KERNELS[board.replace("-fleet", "")],
        "patience": "2s",
        "clusters": {"c0": {"kind": "io", "harts": 1}} | clusters(program, 0) | last,
    }
    with running(system, icount=False) as started:
        storm = FleetStorm(started)
        storm.await_all(0)
        for number in rounds(full, capsys, ROUNDS_SLOW):
            storm.round(plan[number])
        assert "PANIC" not in "".join(console.text for console in started.consoles.values())
