# SPDX-License-Identifier: MIT
"""The firmware's calls, rightly and wrongly made (guests/manycore/calls.c), a restart and a shutdown of one cluster, kills, and a
cluster whose harts make random calls."""

from __future__ import annotations

import random
import re

import pytest
from manycores import BOARDS, Start
from second import SPIKE

pytestmark = pytest.mark.beside

OK, FAILED, NOT_SUPPORTED, INVALID_PARAM, INVALID_ADDRESS, ALREADY_AVAILABLE = 0, -1, -2, -3, -5, -6
EXPECTED = {
    "version": (OK, 2 << 24),
    "implementation": (OK, 0x414D),
    "probe console": (OK, 1),
    "probe fence": (OK, 0),
    "base function 7": (NOT_SUPPORTED, 0),
    "no extension": (NOT_SUPPORTED, 0),
    "ring foreign": (INVALID_PARAM, 0),
    "ring own and foreign": (INVALID_PARAM, 0),
    "ring own": (OK, 0),
    "ring all": (OK, 0),
    "timer function 1": (NOT_SUPPORTED, 0),
    "reset type 3": (INVALID_PARAM, 0),
    "reset reason 2": (INVALID_PARAM, 0),
    "reset function 1": (NOT_SUPPORTED, 0),
    "write own": (OK, 17),
    "write nothing": (OK, 0),
    "write over the end": (INVALID_PARAM, 0),
    "write before the begin": (INVALID_PARAM, 0),
    "write wrapping": (INVALID_PARAM, 0),
    "write firmware": (INVALID_PARAM, 0),
    "write NoC": (INVALID_PARAM, 0),
    "write high": (INVALID_PARAM, 0),
    "read nothing typed": (OK, 0),
    "read into foreign": (INVALID_PARAM, 0),
    "read into firmware": (INVALID_PARAM, 0),
    "write byte": (OK, 0),
    "console function 3": (NOT_SUPPORTED, 0),
    "status own": (OK, 0),
    "status stopped": (OK, 1),
    "status foreign": (INVALID_PARAM, 0),
    "status foreign slave": (INVALID_PARAM, 0),
    "status none": (INVALID_PARAM, 0),
    "start foreign": (INVALID_PARAM, 0),
    "start behind the last": (INVALID_PARAM, 0),
    "start in foreign slice": (INVALID_ADDRESS, 0),
    "start in firmware": (INVALID_ADDRESS, 0),
    "start in NoC": (INVALID_ADDRESS, 0),
    "start odd": (INVALID_ADDRESS, 0),
    "start self": (ALREADY_AVAILABLE, 0),
    "start": (OK, 0),
    "status after stop": (OK, 1),
    "start again": (OK, 0),
    "start twice": (ALREADY_AVAILABLE, 0),
    "suspend platform": (NOT_SUPPORTED, 0),
    "suspend reserved": (INVALID_PARAM, 0),
    "suspend": (OK, 0),
    "hart function 4": (NOT_SUPPORTED, 0),
    "start in life 1": (OK, 0),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("end", ["good", "failed"])
@pytest.mark.parametrize("emulator", SPIKE)
def test_every_call_answers_as_the_specification_has_it(clusters: Start, board: str, end: str, emulator: str) -> None:
    layout = {"io": {"kind": "io", "harts": 2, "cmdline": f"end={end}"}, "compute": {}}
    system = {"system": "calls", "board": board, "kernel": "build:calls.elf", "clusters": layout}
    done = clusters(system, status=int(end == "failed"), emulator=emulator)
    said = done["compute"].text
    found = {what: (int(error), int(value)) for what, error, value in re.findall(r"^([\w ]+): (-?\d+) (\d+)$", said, re.MULTILINE)}
    assert found == EXPECTED
    assert re.findall(r"^rung: (\d)$", said, re.MULTILINE) == ["0", "2", "2"]
    assert "legacy putchar: 0\nlegacy getchar: -1\n" in said
    assert "three words here\n" in said
    assert said.endswith("asks for a shutdown, outbox moved: yes\n")
    assert "outbox in life 0: 1\nasks for a restart\nlife 1, outbox 0\n" in said
    assert done.kernel.text == "cluster 1: stopped\n"
    assert done["io"].text == "the neighbour stands still\n"


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("emulator", SPIKE)
def test_random_calls_reach_nobody_else(clusters: Start, board: str, full: bool, emulator: str) -> None:
    calls = 1_000_000 if full and not emulator else 10_000
    layout = {
        "io": {"kind": "io", "harts": 2},
        "hostile": {"cmdline": f"calls={calls} seed=7"},
        "compute": {"harts": 2},
    }
    system = {"system": "hostile", "board": board, "kernel": "build:hostile.elf", "clusters": layout}
    done = clusters(system, 1200 if full else 60, emulator=emulator)
    said = done["io"].text
    neighbours = re.findall(r"^neighbour (\d): (\d+) rounds, (\d+) wrong$", said, re.MULTILINE)
    assert [(number, wrong) for number, _, wrong in neighbours] == [("0", "0"), ("2", "0")]
    assert all(int(rounds) >= 10 for _, rounds, _ in neighbours)
    found = re.search(r"^hostile: (\d+) refused, (\d+) lives, harts f$", said, re.MULTILINE)
    assert found and calls * 0.3 < int(found[1]) < calls and int(found[2]) > 3, said
    assert set(done.kernel.text.splitlines()) <= {"cluster 1: stopped"}


DOTS = 4  # of 15 to 50: what the emulator does for its own host comes between two harts' turns, and from then on others print first


def work_of_lives(text: str) -> list[int]:
    """How many dots each life has printed when it is killed."""
    return [part.count(".") for part in re.split(r"^life .*$", text, flags=re.MULTILINE)]


@pytest.mark.parametrize("board", BOARDS)
def test_a_killed_cluster_starts_again_and_its_neighbour_does_not_notice(clusters: Start, board: str, full: bool) -> None:
    chance = random.Random(14)
    moments = [3000]  # tenths of a microsecond: ticks
    while len(moments) < (200 if full else 30):
        moments.append(moments[-1] + chance.randrange(1500, 5000))
    system = {
        "system": "lives",
        "board": board,
        "kernel": "build:lives.elf",
        "clusters": {"io": {"kind": "io", "harts": 1, "cmdline": f"lives={len(moments) + 1}"}, "compute": {}},
        "kills": [{"cluster": "compute", "at": f"{at / 10}us"} for at in moments],
    }
    done = clusters(system)
    assert done.kernel.text == "cluster 1: killed\n" * len(moments)
    lives = re.findall(r"^life (\d+): (\d+) counted, 4 harts, outbox 0, found 1234 0 0 2$", done["compute"].text, re.MULTILINE)
    # the last one is scounteren, by which the firmware lets programs read `time`
    assert lives == [(str(i), str(i + 1)) for i in range(len(moments) + 1)]
    assert done["io"].text == "1 rounds, 0 wrong\n"
    again = [work_of_lives(text) for text in (clusters(system)["compute"].text, done["compute"].text)]
    different = [(life, a, b) for life, (a, b) in enumerate(zip(*again, strict=True)) if abs(a - b) > DOTS]
    assert not different, different
