# SPDX-License-Identifier: MIT
"""Who waits for whom: boards take turns (tests/system/turns.py), builds come one after the other (amalgam/building.py)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.building import building
from turns import turn

SOON, LATE = 0.3, 30.0  # seconds: who does not wait is in by then; who waits no longer is in at last


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)


class Other:
    """Somebody else who wants a lock, has it, and gives it back when told to."""

    def __init__(self, lock: Callable[[], AbstractContextManager[None]]):
        self.inside, self.leave = threading.Event(), threading.Event()

        def run() -> None:
            with lock():
                self.inside.set()
                self.leave.wait(LATE)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()


@contextmanager
def other(lock: Callable[[], AbstractContextManager[None]]) -> Iterator[Other]:
    somebody = Other(lock)
    yield somebody
    somebody.leave.set()
    somebody.thread.join(LATE)


def test_boards_that_share_run_beside_each_other() -> None:
    with turn(shared=True), other(lambda: turn(shared=True)) as second:
        assert second.inside.wait(LATE)


@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False)])
def test_a_board_that_does_not_share_is_alone(first: bool, second: bool) -> None:
    with other(lambda: turn(first)) as board:
        assert board.inside.wait(LATE)
        with other(lambda: turn(second)) as waits:
            assert not waits.inside.wait(SOON)
            board.leave.set()
            assert waits.inside.wait(LATE)


def test_who_waits_to_be_alone_is_not_passed_by_those_who_share() -> None:
    with other(lambda: turn(shared=True)) as board:
        assert board.inside.wait(LATE)
        with other(turn) as alone:
            assert not alone.inside.wait(SOON)
            with other(lambda: turn(shared=True)) as later:
                assert not later.inside.wait(SOON)
                board.leave.set()
                assert alone.inside.wait(LATE)
                assert not later.inside.is_set()
                alone.leave.set()
                assert later.inside.wait(LATE)


def test_whoever_has_a_board_starts_a_second_one_although_somebody_waits_to_be_alone() -> None:
    def two() -> Iterator[None]:
        with turn(shared=True):
            has.set()
            assert waits.wait(LATE)
            with turn(shared=True):
                yield

    @contextmanager
    def behind() -> Iterator[None]:
        assert has.wait(LATE)
        with turn():
            yield

    has, waits = threading.Event(), threading.Event()
    with other(contextmanager(two)) as both, other(behind) as alone:
        assert has.wait(LATE)
        assert not alone.inside.wait(SOON)
        waits.set()
        assert both.inside.wait(LATE)
        assert not alone.inside.is_set()
        both.leave.set()
        assert alone.inside.wait(LATE)


@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False)])
def test_a_second_board_that_would_wait_for_the_first_is_an_error(first: bool, second: bool) -> None:
    with turn(first), pytest.raises(AssertionError, match="this worker has a board"), turn(second):
        pass


def test_builds_come_one_after_the_other() -> None:
    with other(building) as build:
        assert build.inside.wait(LATE)
        with other(building) as waits:
            assert not waits.inside.wait(SOON)
            build.leave.set()
            assert waits.inside.wait(LATE)


def test_who_builds_may_build_what_that_needs() -> None:
    with building(), building():
        pass
    with other(building) as build:
        assert build.inside.wait(LATE)
