# SPDX-License-Identifier: MIT
"""A fault in kernel code ends the domain that it happened for, says where and why, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.board import Board
from support import after, listed, said, says


@pytest.fixture(scope="module")
def containment(boot_module: Any) -> Iterator[Board]:
    with boot_module("containment") as board:
        yield board


def test_a_wild_read_ends_its_domain_with_a_backtrace(containment: Board) -> None:
    said(containment, "kernel", r"FAULT: page fault")
    chain = (r"read_nowhere\+0x[0-9a-f]+", r"body\+0x[0-9a-f]+", r"thread_begin\+0x[0-9a-f]+", r"context_start\+0x[0-9a-f]+")
    said(containment, "kernel", r"[\s\S]*?".join(chain))  # the other core's report may come between
    said(containment, "kernel", r"domain reader: fault: page fault in thread reader")


def test_a_stack_overflow_is_named_and_ends_its_domain(containment: Board) -> None:
    said(containment, "kernel", r"FAULT: kernel stack overflow")
    said(containment, "kernel", r"outgrow(\.\S+)?\+0x[0-9a-f]+")
    said(containment, "kernel", r"domain grower: fault: kernel stack overflow in thread grower")


def test_the_others_go_on_and_the_offender_starts_again(containment: Board) -> None:
    for name in ("reader", "grower"):
        said(containment, "kernel", rf"domain {name}: fault")
    says(containment, "guest", "checksum: round=")
    after(containment, "start reader", "kernel", "domain reader: fault")
    says(containment, "guest", "checksum: round=")
    assert listed(containment, "reader")["end"].startswith("fault")
