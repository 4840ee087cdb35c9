# SPDX-License-Identifier: MIT
"""How a run ended is read off the kernel's words."""

from __future__ import annotations

import pytest
from amalgam.board.ending import DIED, UNSTARTED, failure, went_off

SAID = "domain a: reset: by port\r\ndomain b: done\r\ndomain a: {}\r\npower off\r\n"


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ("power-off: the guest powered off", 0),
        ("reset: by port", 0),
        ("stopped: by the control console", 0),
        ("triple fault: vcpu 0: triple fault", DIED),
        ("watchdog: the watchdog saw no sign of life", DIED),
        ("fault: vcpu 0: the processor refused to enter the guest", DIED),
        ("could not start: not enough memory", UNSTARTED),
        ("done: exit status 0", 0),
        ("done: exit status 5", 5),
        ("done: exit status 256", DIED),
    ],
)
def test_the_last_life_counts(how: str, status: int) -> None:
    error = failure(SAID.format(how), ["b", "a"])
    assert (error.status if error else 0) == status
    assert error is None or how.removeprefix("done: ") in error.what
    assert failure(SAID.format(how), ["b"]) is None


def test_the_first_that_did_not_end_well_counts() -> None:
    said = "domain x: fault: vcpu 0: y\r\ndomain z: could not start: not enough memory\r\n"
    first, second = failure(said, ["z", "x"]), failure(said, ["x", "z"])
    assert first and second
    assert (first.status, second.status) == (UNSTARTED, DIED)


def test_a_run_that_was_left_has_not_gone_off() -> None:
    assert went_off(SAID)
    assert not went_off("linux said: power off\r\n")
