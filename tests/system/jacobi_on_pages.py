# SPDX-License-Identifier: MIT
"""What Jacobi's iteration on shared pages (systems/svm.yaml) has to come to, on whatever board its kernels are."""

from __future__ import annotations

import functools
import struct
from itertools import accumulate

from amalgam.board.board import Board
from support import said

ROWS, COLUMNS, ITERATIONS = 480, 512, 10  # kernel/proof/apps/stencil.h, svm_task.c
WORD = 0xFFFFFFFF
COUNTS = r"(\d+) faults, (\d+) pages taken, (\d+) given, \d+ held, \d+ late, (\d+) refused"


@functools.cache
def sums(rows: int = ROWS, columns: int = COLUMNS) -> str:
    """Fletcher's sums of the result, computed here: doubles, the same order of additions."""
    edge = [1.0 + c % 17 for c in range(columns)]
    zero = [0.0] * columns
    old = [edge, *([zero] * rows), zero]
    for _ in range(ITERATIONS):
        new = [edge]
        for above, row, below in zip(old, old[1:], old[2:], strict=False):
            left, right = [0.0, *row[:-1]], [*row[1:], 0.0]
            new.append([(((a + b) + w) + e) * 0.25 for a, b, w, e in zip(above, below, left, right, strict=True)])
        old = [*new, zero]
    words = struct.unpack(f"<{2 * columns * len(old)}I", b"".join(struct.pack(f"<{columns}d", *row) for row in old))
    first = list(accumulate(words))
    return f"{first[-1] & WORD:x} {sum(first) & WORD:x}"


def solved(board: Board, cores: tuple[int, ...]) -> None:
    """Both models: each member's counts add up, and rank 0 has seen the right result."""
    n = len(cores)
    for model in ("strong", "lazy"):
        line = said(board, "jacobi", rf"jacobi {model}: {ITERATIONS} iterations on {n} cores: (\d+) words differ .*; sums (\w+ \w+)")
        assert (line[1], line[2]) == ("0", sums())
    counts = {"strong": [], "lazy": []}
    for rank, core in enumerate(cores):
        for model, found in counts.items():
            source, tag = ("kernel", rf"core {core}: ") if core else ("jacobi", "")
            words = said(board, source, rf"{tag}jacobi {model}: rank {rank}: \d+ ticks, {COUNTS}")
            found.append([int(word) for word in words.groups()])
    faults, taken, given, refused = (sum(column) for column in zip(*counts["strong"], strict=True))
    assert faults == taken > 2 * ITERATIONS * (n - 1)  # each border of two bands is read from both sides
    assert abs(taken - given) <= n * n  # what was on its way when a member counted
    assert refused == 0
    assert all(taken == given == refused == 0 and faults <= 2 * (ROWS // n + 3) for faults, taken, given, refused in counts["lazy"])
