# SPDX-License-Identifier: MIT
"""A storm of deaths: members of a ring exchange numbered messages (guests/include/numbers.h); five of them die or begin at once, again
and again. After each round all go on, within a bound, and no member has seen what must not be."""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import pytest
from amalgam.board.console import SCALE, Console

ROUNDS, ROUNDS_FULL = 5, 400
ROUNDS_SLOW = 3  # of a board that takes eight seconds for one
BOUND = 30  # seconds until all go on
SAID = re.compile(
    r"^numbers: tunnel (\d+): life (\d+) sent (\d+) dropped (\d+); taken (\d+) missing (\d+), last (\d+) of life (\d+)\r*$", re.M
)


def seeded(capsys: pytest.CaptureFixture[str], name: str) -> random.Random:
    """AMALGAM_SEED repeats the deaths of a run; when each of them comes is the board's."""
    seed = int(os.environ.get("AMALGAM_SEED", random.SystemRandom().randrange(1 << 32)))
    with capsys.disabled():
        print(f"\n{name}: AMALGAM_SEED={seed}", end="", file=sys.stderr)
    return random.Random(seed)


def how_many(full: bool, short: int = ROUNDS) -> int:
    """The rounds of a storm; AMALGAM_ROUNDS: so many."""
    return int(os.environ.get("AMALGAM_ROUNDS", ROUNDS_FULL if full else short))


def rounds(full: bool, capsys: pytest.CaptureFixture[str], short: int = ROUNDS) -> Iterator[int]:
    """The rounds of a storm. What fails shows in which; a long one, how far it is."""
    for number in range(how_many(full, short)):
        print(f"round {number}")
        if full and number % 10 == 0:
            with capsys.disabled():
                print(f" {number}", end="", file=sys.stderr, flush=True)
        yield number


def taken(console: Console, tunnel: int, since: int) -> list[int]:
    """How many messages of a tunnel a member has taken in its life, as it has said since then."""
    return [int(m[5]) for m in SAID.finditer(console.text, since) if int(m[1]) == tunnel]


def goes_on(console: Console, tunnel: int, since: int) -> bool:
    """It takes messages: the last of two lines of one life says more."""
    counts = taken(console, tunnel, since)
    return any(b > a for a, b in zip(counts, counts[1:], strict=False))


def wait_until(what: Callable[[], bool], why: Callable[[], str], seconds: float = BOUND) -> None:
    deadline = time.monotonic() + seconds * SCALE
    while not what():
        assert time.monotonic() < deadline, why()
        time.sleep(0.05)


def nobody_saw_wrong(consoles: Iterable[Console]) -> None:
    for console in consoles:
        wrong = [line for line in console.lines() if "WRONG" in line]
        assert not wrong, f"{console.name}: {wrong[0]}"
