# SPDX-License-Identifier: MIT
"""What the tests of the manycore shape share."""

from __future__ import annotations

from collections.abc import Callable

from amalgam.board.board import Board

BOARDS = ("manycore", "manycore32")
KERNELS = {"manycore": "shape:cluster", "manycore32": "shape:cluster32"}  # with processes and a network
SPAWNS = {"manycore": "shape:cluster-spawn", "manycore32": "shape:cluster32-spawn"}  # whose processes start others, too
Start = Callable[..., Board]
