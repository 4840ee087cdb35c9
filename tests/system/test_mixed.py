# SPDX-License-Identifier: MIT
"""An unmodified Linux, a partition that knows us and a program without an OS live side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell, run_command
from support import listed, said


@pytest.fixture(scope="module")
def mixed(boot_module: Any) -> Iterator[Board]:
    with boot_module("mixed") as board:
        await_monitor(board)
        await_shell(board["linux"], 240)
        yield board


def test_all_kinds_of_guests_run_at_once(mixed: Board) -> None:
    said(mixed, "program", "hello: end=stay")
    said(mixed, "partition", "tunnel: pong at")
    assert [listed(mixed, name)["state"] for name in ("linux", "partition", "program")] == ["running"] * 3


def test_linux_runs_more_cpus_than_the_board_has(mixed: Board) -> None:
    assert run_command(mixed["linux"], "nproc", 60) == ("4\n", 0)


def test_a_guest_that_may_not_call_sees_no_hypervisor_of_another_make(mixed: Board) -> None:
    said(mixed, "program", 'hypervisor "Amalgam')


def test_linux_talks_to_a_partition_through_a_tunnel(mixed: Board) -> None:
    output, status = run_command(mixed["linux"], "amalgam-tunnel ping 100 200", 120)
    assert (status, "n=100 wrong=0" in output) == (0, True), output


def test_linux_notices_that_a_tunnel_was_withdrawn(mixed: Board) -> None:
    command(mixed, "withdraw t0")
    output, status = run_command(mixed["linux"], "amalgam-tunnel ping 1 8", 60)
    command(mixed, "grant t0")
    assert (status, "Permission denied" in output) == (1, True), output
    assert run_command(mixed["linux"], "amalgam-tunnel ping 20 8", 120)[1] == 0
