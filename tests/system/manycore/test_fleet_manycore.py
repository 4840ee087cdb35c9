# SPDX-License-Identifier: MIT
"""The manycore-fleet board: an emulator a cluster, which share one file and ring each other by ivshmem (docs/boards.md)."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.artifacts.machines import MACHINES
from amalgam.board.console import SCALE
from amalgam.board.machine import machine_for
from amalgam.board.manycore_fleet import ManycoreFleet, ManycoreFleetBoard
from amalgam.build import programs
from amalgam.system.compile import compile_system
from support import debugger, free_ports
from turns import turn

pytestmark = pytest.mark.beside

OWN = paths.BUILD / "test-systems" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
KERNELS = {"manycore-fleet": "shape:cluster", "manycore-fleet32": "shape:cluster32"}
LOAD, STORE, NONE = 5, 7, 99
OPEN, READ_ONLY, CLOSED = {"load": NONE, "store": NONE}, {"load": NONE, "store": STORE}, {"load": LOAD, "store": STORE}
EXPECTED = {
    "own slice's end": {"load": NONE},
    "behind the slice": CLOSED,
    "firmware": CLOSED,
    "firmware's table": CLOSED,
    "own outbox": OPEN,
    "foreign outbox": READ_ONLY,
    "NoC slice's end": READ_ONLY,
    "behind the NoC slice": CLOSED,
    "register 0": CLOSED,
    "register 1": CLOSED,
    "register 2": CLOSED,
    "register 3": OPEN,
    "interrupt table": CLOSED,
    "configuration space": CLOSED,
    "machine's interrupts": CLOSED,
    "supervisor's interrupts": CLOSED,
    "MSWI": CLOSED,
    "UART": CLOSED,
    "finisher": CLOSED,
}
RIGHT = r"2 clusters, {} rounds: every message and page was right"


@pytest.fixture
def fleet(tmp_path: Path) -> Callable[..., Any]:
    """A context manager: the started boards of a system; `change` sees what is to be started, when it is its turn."""

    @contextmanager
    def start(system: dict[str, Any], change: Callable[[ManycoreFleet], None] = lambda _fleet: None) -> Iterator[ManycoreFleetBoard]:
        path = tmp_path / f"{system['system']}.yaml"
        path.write_text(yaml.safe_dump(system, sort_keys=False), encoding="utf-8")
        made, image = compile_system(path, lambda _text: None, OWN / f"{path.stem}.img")
        machine = machine_for(made, image)
        assert isinstance(machine, ManycoreFleet)
        with turn(shared=True):
            change(machine)
            with machine.board() as board:
                yield board

    return start


def program(rounds: int, *clusters: int, power: str = "domain") -> dict[str, Any]:
    words = ["neighbours", str(rounds), *map(str, clusters)]
    return {"program": {"kind": "process", "program": "build:neighbours.elf", "arguments": words, "memory": "192K", "power": power}}


def of(*clusters: dict[str, Any], kernel: str = "", board: str = "manycore-fleet") -> dict[str, Any]:
    entries = {f"c{i}": {"kind": "compute" if i else "io", **cluster} for i, cluster in enumerate(clusters)}
    return {"system": "fleet", "board": board, "kernel": kernel or KERNELS[board], "clusters": entries}


@pytest.mark.parametrize("board", KERNELS)
def test_programs_of_a_fleet_exchange_messages_and_pages(fleet, board: str) -> None:
    with fleet(of({"domains": program(10, 0, 1, power="board")}, {"domains": program(10, 0, 1)}, board=board)) as started:
        started["c0"].expect(RIGHT.format(10), 60)
        assert started.wait(60) == 0


@pytest.mark.parametrize("board", KERNELS)
def test_a_cluster_of_a_fleet_reaches_its_memory_its_outbox_and_one_register(fleet, board: str) -> None:
    """And rings of its own harts, by a call, and of the other cluster's master, by that register, arrive."""
    with fleet(of({}, {}, kernel="build:fleet.elf", board=board)) as started:
        assert started.wait(60) == 0
        said = started["c0"].text
        assert "rung by the second" in said
        assert "hart 1 was rung" in said
        assert "rung by the first" in started["c1"].text
        found: dict[str, dict[str, int]] = {}
        for what, how, cause in re.findall(r"^(.*) (load|store): (\d+)$", said, re.MULTILINE):
            found.setdefault(what, {})[how] = int(cause)
        assert found == EXPECTED


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="gdb-multiarch is not installed")
@pytest.mark.parametrize("board", KERNELS)
def test_each_cluster_of_a_fleet_waits_for_a_debugger_of_its_own(fleet, board: str) -> None:
    """By the lines that `run --gdb` shows: at reset, then in the kernel, which says whose it is. Then the programs are right."""
    asked: list[subprocess.Popen[str]] = []

    def held(machine: ManycoreFleet) -> None:
        machine.gdb, machine.gdb_port = True, free_ports(2)
        assert [who for who, _line in machine.debuggers()] == ["cluster 0 (c0)", "cluster 1 (c1)"]
        commands = ["p/x $pc", "hbreak core_start", "continue", "info symbol $pc", "p boot_info.self", "delete"]
        asked.extend(debugger(line, *commands) for _who, line in machine.debuggers())

    system = of({"domains": program(2, 0, 1, power="board")}, {"domains": program(2, 0, 1)}, board=board)
    try:
        with fleet({**system, "patience": "600s"}, held) as started:
            for cluster, process in enumerate(asked):
                said = process.communicate(timeout=60 * SCALE)[0]
                assert "$1 = 0x1000\n" in said, said
                assert "core_start in section .text" in said, said
                assert f"$2 = {cluster}\n" in said, said
            started["c0"].expect(RIGHT.format(2), 60)
            assert started.wait(60) == 0
    finally:
        for process in asked:
            process.kill()


def test_a_cluster_whose_machine_ends_is_an_error_for_its_partner_within_its_patience(fleet) -> None:
    """c1 is lost to c0 after two seconds, and nothing but the time says so: it is not started again."""
    with fleet({**of({"domains": program(1_000_000, 0, 1)}, {"domains": program(1_000_000, 0, 1)}), "patience": "2s"}) as board:
        board["c0"].expect("^100 rounds", 60)
        killed = time.monotonic()  # before: on a busy host c0 hears nothing of c1 for a while already
        board.kill(1)
        board["c0"].expect(r"node 0: .*: error 5$", 60)
        assert killed + 1.5 <= time.monotonic() < killed + 2 + 10 * SCALE


def test_a_cluster_whose_machine_ends_starts_again_alone(fleet, full: bool) -> None:
    """c3 is c2's partner. c2 gets an error, as c3 is a new one; c0 and c1 do not notice, and c3 comes up once more."""
    chance, ends = random.Random(16), set()
    for _ in range(20 if full else 3):
        pairs = [{"domains": program(60, 0, 1)}] * 2 + [{"domains": program(1_000_000, 2, 3)}] * 2
        with fleet(of(*pairs)) as board:
            board["c2"].expect("^100 rounds", 60)
            time.sleep(chance.uniform(0, 0.5))
            board.kill(3)
            board.restart(3)
            ends.add(board["c2"].expect(r"node 2: .*: error (\d+)[^$]*domain program: done: exit status 1", 60)[1])
            board["c3"].expect(r"(?s)system: c3.*system: c3", 60)
            board["c0"].expect(RIGHT.format(60), 60)
            assert board.alive() == [0, 1, 2, 3]
            assert "PANIC" not in "".join(board[name].text for name in board.names)
    assert ends == {"5"}, "EIO"


def test_clusters_that_start_again_work_with_each_other_anew(fleet) -> None:
    with fleet(of({}, {"domains": program(5, 1, 2)}, {"domains": program(5, 1, 2)})) as board:
        board["c1"].expect(RIGHT.format(5), 60)
        for number in (1, 2):
            board.kill(number)
            board.restart(number)
        board["c1"].expect(RIGHT.format(5), 60)
        assert board.alive() == [0, 1, 2]


def test_a_cluster_that_starts_again_is_told_which_life_it_is(fleet) -> None:
    with fleet(of({"kernel": "build:echo.elf"}, {"kernel": "build:fleet.elf"}, kernel="build:up.elf")) as board:
        board["c1"].expect("life 0", 60)
        board.kill(1)
        board.restart(1)
        board["c1"].expect("life 1", 60)


def test_a_program_knows_the_life_of_its_cluster(fleet, tmp_path: Path) -> None:
    """It has the number that its kernel says to others. Nothing of a former life is there to be dropped."""
    machine, program = MACHINES["riscv64"], tmp_path / "life.elf"
    words = ["-O2", str(Path(__file__).with_name("life.c")), "-o", str(program)]
    assert programs.compile_program(words, programs.toolchain(lambda _text: None, machine), machine) == 0
    entry = {"domains": {"life": {"kind": "process", "program": str(program), "memory": "192K"}}}
    with fleet(of(entry, entry)) as board:
        for life in (1, 2, 3):
            board["c1"].expect(f"life {life}, dropped 0", 60)
            board.kill(1)
            board.restart(1)
        board["c0"].expect("life 1, dropped 0", 10)


def test_a_cluster_of_a_fleet_that_lies_in_every_word_and_rings_anybody_disturbs_nothing(fleet) -> None:
    """Of numbers that it rings half are no cluster's."""
    liar = {"kernel": "build:liar.elf", "cmdline": "seed=8 rings=50 fleet=1"}
    pair = {"domains": program(300, 0, 1)}
    with fleet(of(pair, pair, liar)) as board:
        board["c2"].expect(r"^1000 lies", 120)
        board["c0"].expect(RIGHT.format(300), 120)


@pytest.mark.full
@pytest.mark.parametrize("board", KERNELS)
def test_name_and_memory_server_of_one_machine_serve_programs_of_three_others(fleet, board: str) -> None:
    """What is late is asked for again: the clocks are the host's. What is found and read is right."""
    process = {"kind": "process", "memory": "384K", "threads": 1}
    client = process | {"program": "build:nanvix-patient.elf", "memory": "768K", "arguments": ["patient", "50", "3"]}
    servers = {
        "name": process | {"program": "build:server-name.elf", "cores": [1]},
        "memory": process | {"program": "build:server-memory.elf", "arguments": ["memory", "12"], "cores": [2]},
    }
    system = of({"harts": 3, "domains": servers}, *[{"harts": 2, "domains": {"asks": client}}] * 3, board=board)
    with fleet(system | {"patience": "60s"}) as started:
        for name in started.names[1:]:
            said = started[name].expect(r"patient: 50 rounds right, \d+ calls again|WRONG: .*", 300)[0]
            assert "right" in said, said
        assert started.alive() == [0, 1, 2, 3]


def test_a_machine_without_the_shared_memory_says_so_and_ends(fleet) -> None:
    def without(machine: ManycoreFleet) -> None:
        machine.device = "pci-testdev"

    with fleet(of({}, kernel="build:up.elf"), without) as board:
        assert board.wait(60) != 0
        board.kernel.expect("cluster 0: no shared memory: the device is not an ivshmem", 10)
