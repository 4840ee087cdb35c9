# SPDX-License-Identifier: MIT
"""Whose turn it is to have a board: alone, unless the board may run beside others.

Two boards at once crawl on a small machine, and what is awaited takes longer. Beside others run boards whose clock counts instructions
(icount), and those of modules with the mark `beside`: each keeps one processor of the host busy at most, and no test of it asks how long
anything took.
"""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from amalgam import paths

Node = pytest.Item | pytest.Collector
_mine = threading.local()  # .shared: what turn this worker has


def beside(node: Node) -> bool:
    """Whether a test's module, or a module, has the mark."""
    return node.get_closest_marker("beside") is not None


def set_fields(machine: Any, fields: dict[str, Any], its_turn: bool) -> None:
    """Set fields of a machine: before its turn those that are values, in it those that are functions, to what they return (support.Ports)."""
    for key, value in fields.items():
        assert hasattr(machine, key), key
        if callable(value) == its_turn:
            setattr(machine, key, value() if its_turn else value)


@contextmanager
def turn(shared: bool = False) -> Iterator[None]:
    """Wait until a board may run, and keep others off meanwhile; `shared`: but for those that share, too.

    Who waits to be alone lets nobody pass who came later, but for the second board of a worker that he waits for: a module's board
    stays while one of its tests starts another.
    """
    if (mine := getattr(_mine, "shared", None)) is not None:
        assert mine and shared, "this worker has a board, and a second one can only be beside it if both share"
        yield
        return
    paths.BUILD.mkdir(exist_ok=True)
    with (paths.BUILD / "board.queue").open("w") as queue, (paths.BUILD / "board.lock").open("w") as lock:
        fcntl.flock(queue, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        fcntl.flock(queue, fcntl.LOCK_UN)
        _mine.shared = shared
        try:
            yield
        finally:
            _mine.shared = None
