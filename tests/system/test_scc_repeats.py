# SPDX-License-Identifier: MIT
"""A board of an SCC that counts instructions repeats: two runs say the same, and each core executes as many instructions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import toolchain
from amalgam.measure import coherence
from test_rcce import HERE, compiled

CHOSEN = (0, 5, 17, 30, 47)
BARRIERS, MESSAGES = 50, 400


@dataclass(frozen=True)
class Life:
    """A run from reset to power-off: what each speaker and each serial port said, and each core's instructions, its path and those of all
    when its part of the program was done. (How many more there are until the emulator has ended is the host's matter.)"""

    said: dict[str, str]
    marks: list[coherence.Mark]


@pytest.fixture(scope="module", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(HERE / "storm.c", toolchain(lambda _text: None), tmp_path_factory.mktemp("storm"))


def live(boot: Any, storm: Path, out: Path, messages: int) -> Life:
    """Pages of each model, beside messages and barriers by RCCE, on the same cores; the last to end powers the board off."""
    native = {"kind": "native", "program": str(storm), "arguments": ["storm", str(BARRIERS), str(messages)], "ues": list(CHOSEN)}
    domains = {
        "litmus": {"kind": "task", "task": "svm-litmus", "cores": [0], "power": "board"},
        "storm": native | {"memory": "512K", "power": "board"},
    }
    system = {"system": "scc-repeats", "board": "scc", "domains": domains}
    with boot(system, icount=True, chosen=CHOSEN, extra=coherence.options(out)) as board:
        assert board.wait(300) == 0
        said = {console.name: console.text for console in board.consoles.values()} | {"com1": board.log.read_text(encoding="utf-8")}
    return Life(said, coherence.read(out).marks)


def test_two_counted_runs_are_equal_to_the_instruction(boot: Any, storm: Path, tmp_path: Path) -> None:
    """One more message is another run: what is compared can differ."""
    first, again, other = (
        live(boot, storm, tmp_path / f"coherence-{n}", messages) for n, messages in enumerate((MESSAGES, MESSAGES, MESSAGES + 1))
    )
    counts = 10 * len(CHOSEN)
    assert f"litmus: rank 0: 0 words wrong in 20 messages; counted {counts} of {counts}, by twins {counts}" in first.said["litmus"]
    assert f"storm: UE 0 of {len(CHOSEN)}: {BARRIERS} barriers, {MESSAGES} messages, 0 wrong" in first.said["storm"]
    assert sorted(mark.core for mark in first.marks) == list(CHOSEN)
    assert min(mark.own for mark in first.marks) > 1_000_000
    assert first == again
    assert first.said != other.said
    assert first.marks != other.marks
