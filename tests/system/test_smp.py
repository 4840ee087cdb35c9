# SPDX-License-Identifier: MIT
"""Guests with more CPUs than the board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from support import said


@pytest.fixture(scope="module")
def smp(boot_module: Any) -> Iterator[Board]:
    with boot_module("smp") as board:
        await_monitor(board)
        yield board


def test_more_vcpus_than_cpus(smp: Board) -> None:
    said(smp, "four", r"smp: 4 of 4 cpus, pings=600 pongs=600")


@pytest.mark.full
def test_eight_vcpus(smp: Board) -> None:
    command(smp, "start eight")
    said(smp, "eight", r"smp: 8 of 8 cpus, pings=350 pongs=350")
