# SPDX-License-Identifier: MIT
"""A kernel in each cluster, and programs that talk over the network between them: rightly, beside a hostile process, beside a
hostile cluster, and beside one that is killed."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.build.kernel import build_kernel
from amalgam.measure import clocks
from elftools.elf.elffile import ELFFile
from manycores import BOARDS, KERNELS, Start
from second import SPIKE, SPIKE_LONG

pytestmark = pytest.mark.beside
each_board = pytest.mark.parametrize("board", BOARDS)

RIGHT = r"^{} clusters, {} rounds: every message and page was right"


def program(*arguments: object, power: str = "domain", name: str = "neighbours", **more: object) -> dict[str, Any]:
    """A cluster's domains: one process."""
    process = {
        "kind": "process",
        "program": f"build:{name}.elf",
        "arguments": [name, *map(str, arguments)],
        "memory": "192K",
        "power": power,
    }
    return {"program": process | more}


def system(board: str, name: str, *clusters: dict[str, Any], **more: object) -> dict[str, Any]:
    """The first cluster is the one for I/O."""
    kinds = {f"c{i}": ({"kind": "io"} if i == 0 else {}) | cluster for i, cluster in enumerate(clusters)}
    return {"system": name, "board": board, "kernel": KERNELS[board], "clusters": kinds, **more}


@each_board
@pytest.mark.parametrize("emulator", SPIKE)
def test_programs_of_five_clusters_exchange_messages_and_pages(clusters: Start, board: str, emulator: str) -> None:
    talk = system(board, "talk", {"domains": program(10, power="board")}, *[{"domains": program(10)}] * 4)
    assert "5 clusters, 10 rounds: every message and page was right" in clusters(talk, emulator=emulator).consoles[0].text


def test_the_first_system_forks_and_joins_and_says_where_time_went(clusters: Start) -> None:
    first = yaml.safe_load((paths.SYSTEMS / "manycore-talk.yaml").read_text(encoding="utf-8"))
    said = clusters(first).consoles[0].text
    assert "5 clusters, 10 rounds: every message and page was right" in said
    spent = re.search(r"where time went: (\d+) us fork-join of 2 threads, (\d+) us barriers, (\d+) us messages, (\d+) us pages", said)
    assert spent and all(0 < int(us) < 1_000_000 for us in spent.groups())


@each_board
def test_twenty_clusters_of_an_mppa_256(clusters: Start, board: str) -> None:
    first = {"kind": "io", "domains": program(2, power="board")}
    layout = {"io": first, "ios": {"kind": "io", "count": 3, "domains": program(2)}, "c": {"count": 16, "harts": 17, "domains": program(2)}}
    done = clusters({"system": "mppa", "board": board, "kernel": KERNELS[board], "clusters": layout})
    assert "20 clusters, 2 rounds: every message and page was right" in done.consoles[0].text


@each_board
def test_all_harts_that_the_board_can_have_in_32_clusters(clusters: Start, board: str) -> None:
    layout = {
        "io": {"kind": "io", "harts": 16, "domains": program(2, power="board")},
        "c": {"count": 31, "harts": 16, "domains": program(2)},
    }
    done = clusters({"system": "all", "board": board, "kernel": KERNELS[board], "outbox": "128K", "clusters": layout})
    assert "32 clusters, 2 rounds: every message and page was right" in done.consoles[0].text


def test_a_liar_and_a_process_of_random_calls_among_twenty_clusters_disturb_nothing(running) -> None:
    """With 32-bit harts. In systems of four clusters each of the two has a test of its own below."""
    work = program(5, *range(18))
    harmless = {"io": {"kind": "io", "domains": program(5, *range(18), power="board")}, "c": {"count": 17, "harts": 5, "domains": work}}
    liar = {"kernel": "build:liar.elf", "cmdline": "seed=7"}
    hostile = {"harts": 5, "domains": program(10_000, name="hostile", threads=8)}
    board = "manycore32"
    layout = harmless | {"liar": liar, "hostile": hostile}
    with running({"system": "many", "board": board, "kernel": KERNELS[board], "clusters": layout}) as started:
        started["io"].expect(RIGHT.format(18, 5), 120)
        assert started.wait(120) == 0
        assert "PANIC" not in "".join(started[name].text for name in started.names)


@each_board
@pytest.mark.parametrize("emulator", SPIKE)
def test_a_cluster_that_lies_in_every_word_and_rings_everybody_disturbs_nothing(running, board: str, emulator: str) -> None:
    liar = {"kernel": "build:liar.elf", "cmdline": "seed=7"}
    work = system(board, "liar", *[{"domains": program(60, 0, 1, 2)}] * 3, liar)
    with running(work, emulator=emulator) as started:
        started["c3"].expect(r"^1000 lies", 120)
        started["c0"].expect(RIGHT.format(3, 60), 120)


@each_board
def test_a_storm_of_rings_reaches_masters_and_no_core_of_another_program(running, board: str, tmp_path: Path) -> None:
    """Of 16 harts the first four are masters, the last three the liar's own."""
    out = tmp_path / "clocks"
    work = system(board, "storm", *[{"domains": program(60, 0, 1, 2)}] * 3, {"kernel": "build:liar.elf", "cmdline": "seed=7 rings=5"})
    with running(work, clocks.options(out, events=True)) as started:
        refused = int(started["c3"].expect(r"^1000 lies, (\d+) rings refused", 120)[1])
    rung = Counter(event.other for event in clocks.read(out).events if event.what == "ring" and event.hart == 3)
    assert set(rung) == {0, 1, 2, 3, 13, 14, 15} and min(rung.values()) > 100, rung
    assert refused > 1000


RINGS = 600  # of each master, of some 700 to 830 until the last lie


@each_board
def test_a_storm_of_rings_takes_a_bounded_part_of_a_master(running, board: str, tmp_path: Path) -> None:
    """Rings that bring nothing: four of them are answered by a look at the lanes in each period of 100,000 instructions of all harts. What
    is beyond that are the greetings of the start."""
    out = tmp_path / "clocks"
    with build_kernel(KERNELS[board].removeprefix("shape:"), lambda _text: None).open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab").iter_symbols()
        places = {s["st_value"]: 1 for s in symbols if s.name.split(".")[0] == "peers_poll"}
    quiet = [{"domains": program(0, 0, 1, 2)}] * 3
    work = system(board, "vain", *quiet, {"kernel": "build:liar.elf", "cmdline": "seed=7 rings=5"})
    with running(work, clocks.options(out, events=True, places=places)) as started:
        started["c3"].expect(r"^1000 lies", 120)
    found = clocks.read(out)
    for master in range(3):
        rings = [event for event in found.events if event.what == "ring" and (event.hart, event.other) == (3, master)]
        meanwhile = found.marks[: rings[RINGS].marks]  # how long the liar goes on behind its last lie is the host's affair
        looks = sum(mark.number == 1 and mark.hart == master for mark in meanwhile)
        most = (meanwhile[-1].all // 100_000 + 1) * 4 + 40
        assert 40 < looks <= most < RINGS / 2, (looks, most, len(rings))


@each_board
@pytest.mark.parametrize("emulator", SPIKE)
def test_a_process_that_makes_random_calls_disturbs_nothing(running, full: bool, board: str, emulator: str) -> None:
    steps, rounds = (1_000_000, 1000) if full and not emulator else (10_000, 60)
    hostile = {"domains": program(steps, name="hostile", threads=8), "harts": 5, "dma": True}
    with running(system(board, "random", *[{"domains": program(rounds, 0, 1, 2)}] * 3, hostile), emulator=emulator) as started:
        started["c0"].expect(RIGHT.format(3, rounds), 300)
        started["c3"].expect(r"hostile: done", 600)


@each_board
@pytest.mark.parametrize("emulator", SPIKE_LONG)
def test_a_cluster_killed_at_any_moment_is_an_error_for_its_partner_and_nothing_for_others(
    running, full: bool, board: str, emulator: str
) -> None:
    """c3 is c2's partner: c2 gets an error or has finished, in a bounded time. c0 and c1 do not notice."""
    chance, ends = random.Random(15), set()
    for _ in range(200 if full and not emulator else 8 if board == "manycore" else 4):
        kills = [{"cluster": "c3", "at": f"{chance.randrange(5_000, 100_000) / 10}us"}]
        pairs = [{"domains": program(40, 0, 1)}] * 2 + [{"domains": program(40, 2, 3)}] * 2
        with running(system(board, "killed", *pairs, kills=kills), emulator=emulator) as started:
            started["c0"].expect(RIGHT.format(2, 40), 120)
            ends.add(started["c2"].expect(r"domain program: done: exit status ([01])", 120)[1])
            assert "PANIC" not in "".join(started[name].text for name in started.names)
    assert "1" in ends, "no kill met the two at work"
