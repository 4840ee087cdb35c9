# SPDX-License-Identifier: MIT
"""What board tests share (tests/system/support.py) against a control console whose board is as late, or as early, as it may be."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.console import Console
from amalgam.errors import UserError
from linuxhost import Host
from support import ended, stop


class Late:
    """A board with a domain `x`: it ends as soon as it is started, and its last thread is out when `list` has been asked for `asked` times."""

    def __init__(self, asked: int, stop_says: str = "ok"):
        self.asked, self.stop_says = asked, stop_says
        self.kernel = Console("kernel", self.hear, lambda: "")

    def __getitem__(self, _name: str) -> Console:
        return self.kernel

    @property
    def state(self) -> str:
        return "stopping" if self.asked > 0 else "stopped"

    def hear(self, data: bytes) -> None:
        line = data.decode().strip()
        if line == "list":
            self.asked -= 1
            self.kernel.receive(f" 0 x   process {self.state}  1 vCPUs     0 MiB restarts 0; done\nok\n".encode())
        else:
            self.kernel.receive(b"domain x: done: exit status 0\nok\n" if line == "start x" else f"{self.stop_says}\n".encode())


def test_who_has_ended_has_given_back_all_that_it_gives_back() -> None:
    board: Any = Late(3)
    assert ended(board, "x") == "done: exit status 0"
    assert board.state == "stopped"


def test_what_ends_by_itself_may_be_stopped_a_moment_later() -> None:
    board: Any = Late(3, "error: stop: -2")
    stop(board, "x")
    assert board.state == "stopped"


def test_any_other_refusal_of_a_stop_is_an_error() -> None:
    board: Any = Late(0, "error: stop: -110")
    with pytest.raises(UserError, match="-110"):
        stop(board, "x")


@pytest.mark.parametrize(
    "said",
    [
        '{"cpus": 1}\n',
        '[   12.345678] hrtimer: interrupt took 7 ns\n{"cpus": 1}\n',
        '{"cp[12345.678901] hrtimer: interrupt took 7 ns\nus": 1}\n[   12.345678] a\n',
        '[1.345678] a\r\r\n{"cpus": 1}\n',
    ],
)
def test_what_linux_says_within_an_answer_is_left_out(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Its console's driver writes between any two bytes of a program's."""
    monkeypatch.setattr(Host, "ok", lambda *_words: said)
    assert Host.__new__(Host).json("status") == {"cpus": 1}
