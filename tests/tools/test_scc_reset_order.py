# SPDX-License-Identifier: MIT
"""`scc reset` of several cores, without a board: what happens in which order, and which life each core begins."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.scc import BOARD_MEMORY, INFO, LIFE_MASK, life_number, own_memory
from amalgam.scc import reset as module
from amalgam.scc.images import Images
from amalgam.scc.reset import WAITS, reset


class Kernel:
    text = ""

    def seek(self, at: int) -> None:
        assert at == 0

    def expect(self, pattern: str, timeout: float) -> None:
        pass


class Board:
    kernel = Kernel()


class Loads(Images):
    """Images that only note what is loaded."""

    def __init__(self, events: list[tuple[Any, ...]]):
        self.events = events

    def check_core(self, core: int) -> None:
        pass

    def load(self, memory: int, core: int, chosen: Any, khz: int, base: int, life: int, doorbell: int = 0) -> None:
        self.events.append(("load", core, life))


@pytest.fixture
def memory() -> Iterator[int]:
    file = os.memfd_create("board")
    os.ftruncate(file, BOARD_MEMORY)
    yield file
    os.close(file)


def test_all_cores_are_stopped_before_the_first_begins_its_next_life(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[tuple[Any, ...]] = []
    lives = dict.fromkeys((0, 12, 13, 14), 1)

    def stop(_board: Any, line: str, _timeout: float) -> None:
        core = int(line.removeprefix("reset "))
        events.append(("stop", core))
        os.pwrite(memory, struct.pack("<I", WAITS), own_memory(core) + INFO)

    monkeypatch.setattr(module, "command", stop)
    for life in (2, 3):
        events.clear()
        reset(Board(), memory, Loads(events), [12, 13], list(lives), 0, lives)  # type: ignore[arg-type]
        assert events == [("stop", 12), ("stop", 13), ("load", 12, life), ("load", 13, life)]
    assert lives == {0: 1, 12: 3, 13: 3, 14: 1}


def test_the_number_of_a_life_is_never_0() -> None:
    assert [life_number(load) for load in (1, 2, LIFE_MASK, LIFE_MASK + 1, 2 * LIFE_MASK + 2)] == [1, 2, LIFE_MASK, 1, 2]
