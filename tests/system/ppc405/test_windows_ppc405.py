# SPDX-License-Identifier: MIT
"""Windows and an RTOS in one of them, beside a hostile guest, by counted instructions: the figures are exact.

One core under icount: time is the number of instructions executed, so what a busy host does to it cannot be seen, and two
runs are alike to the last tick. The tests of the same promises in real time are in test_hostile_ppc405 and test_rtos_ppc405.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.memory import Memory
from amalgam.wcet.code import MODELS
from amalgam.wcet.image import load
from amalgam.wcet.report import rows

pytestmark = pytest.mark.beside

TICKS_US = 1000 / 3  # of the time base
LATE_US = 10  # what one piece of kernel work may delay the edge of a window by; a report of a fault is the longest one
PRINT_US = 30  # the good one does not look at the time while it says a line
STORMS = ("write", "reset", "fault", "text", "misses", "large", "quarters", "sleep")  # of guests/ppc405/storm
STORM_US = 2  # 2,000 instructions; docs/windows.md has what is proven
RTOS = r"rtos: t=1 s steps=(\d+) samples=(\d+) disorder=(\d+) late min=(\d+) avg=(\d+) max=(\d+) us missed=(\d+) windows elsewhere=(\d+) longest=(\d+) us"
ROUND = r"checksum: round=\d+ sum=[0-9a-f]+ holes=(\d+) longest=(\d+) us own longest=(\d+) us"


def hostile() -> dict[str, Any]:
    health = {"fault": "ignore", "reset": "restart", "overrun": "ignore"}
    return {"kernel": "build:hostile.elf", "memory": "4M", "cmdline": "seed=5", "hypercalls": True, "irfm": True, "health": health}


def storm(kind: int) -> dict[str, Any]:
    health = {"fault": "ignore", "reset": "ignore", "overrun": "ignore"}
    return {"kernel": "build:storm.elf", "memory": "2M", "cmdline": f"kind={kind}", "hypercalls": True, "health": health}


def system(name: str, good: dict[str, Any], own_us: int, others_us: int, other: dict[str, Any] | None = None) -> dict[str, Any]:
    windows = [
        {"domain": "good", "start": 0, "length": f"{own_us}us"},
        {"domain": "hostile", "start": f"{own_us}us", "length": f"{others_us}us"},
    ]
    frames = [{"core": 0, "length": f"{own_us + others_us}us", "windows": windows}]
    return {
        "system": name,
        "board": "ref405ep",
        "domains": {"good": good | {"power": "board"}, "hostile": other or hostile()},
        "frames": frames,
    }


def measure(fleet: Callable[..., Any], wanted: dict[str, Any], shift: int) -> tuple[str, dict[str, Any], int]:
    """What the good one says to its end, the core's record, and how many events the hostile one had."""
    with fleet(wanted, icount=True, shift=shift) as board:
        memory = Memory(board)
        board.wait(120)
        return board["good"].text, memory.times(0), memory.vm("hostile")["part"]["n_events"]


@pytest.mark.parametrize(("own_us", "others_us"), [(4000, 4000), (1000, 3000)])
def test_windows_are_kept_to_1_us(fleet: Callable[..., Any], own_us: int, others_us: int) -> None:
    good = {"kernel": "build:checksum.elf", "memory": "2M", "cmdline": "seed=7 report=1 kib=64 rounds=60"}
    first = measure(fleet, system("windows", good, own_us, others_us), shift=0)
    text, record, events = first
    rounds = [tuple(map(int, row)) for row in re.findall(ROUND, text)]
    holes = [row for row in rounds if row[0]]
    assert len(rounds) == 60
    assert len(holes) >= 3
    for _number, away, own in holes:
        assert own <= own_us + LATE_US
        assert others_us <= away <= others_us + 2 * LATE_US + PRINT_US
    assert 0 < record["late_max"] <= LATE_US * TICKS_US
    assert events > 5, "the hostile guest was not hostile"
    if own_us == 1000:
        assert measure(fleet, system("windows", good, own_us, others_us), shift=0) == first


@pytest.fixture(scope="module")
def bound(systems: Any) -> float:
    """By how many ticks an edge can be late on a board of one core under icount: three instructions a tick."""
    image = load(paths.kernel_elf("ppc405"))
    made = {row["metric"]: row["value"] for row in rows(image, MODELS["instructions"], cores=1)[0]}
    return (max(value for name, value in made.items() if name.startswith("vector_")) + made["vector_1000"]) / 3


@pytest.mark.parametrize(("kind", "does"), list(enumerate(STORMS)))
def test_no_storm_makes_a_window_later_than_the_analysis_says(fleet: Callable[..., Any], bound: float, kind: int, does: str) -> None:
    """Beside a guest that does the same dear thing for ever; and whatever it says, the good one's text is whole."""
    good = {"kernel": "build:checksum.elf", "memory": "2M", "cmdline": "seed=7 report=1 kib=64 rounds=20"}
    text, record, _events = measure(fleet, system(f"storm-{does}", good, 1000, 1000, storm(kind)), shift=0)
    assert len(re.findall(ROUND, text)) == 20
    assert 0 < record["late_max"] <= min(STORM_US * TICKS_US, bound)


@pytest.mark.parametrize("build", ["native", "para"])
def test_an_rtos_misses_nothing_in_its_windows(fleet: Callable[..., Any], build: str) -> None:
    """A control task of 5 ms in a window of 1 ms out of 2: never later than the other's window is long."""
    good = {"kernel": f"build:rtos-{build}.elf", "memory": "2M", "cmdline": "seconds=1"}
    if build == "para":
        good |= {"irfm": True, "hypercalls": True}
    text, record, _events = measure(fleet, system(f"rt-{build}", good, 1000, 1000), shift=3)
    found = re.search(RTOS, text)
    assert found, text
    steps, samples, disorder, _least, _average, most, missed, windows, longest = map(int, found.groups())
    slower = 2**3  # all kernel work takes so much longer
    assert (steps, samples, disorder, missed) == (200, 100, 0, 0)
    assert 499 <= windows <= 501
    assert most <= 1000 + slower * LATE_US
    assert 1000 <= longest <= 1000 + slower * LATE_US
    assert record["late_max"] <= slower * LATE_US * TICKS_US
