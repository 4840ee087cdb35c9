# SPDX-License-Identifier: MIT
"""A neighbour that computes (guests/checksum.c): what it has to print, and whether it did."""

from __future__ import annotations

import ctypes
import functools
import re
import subprocess
import tempfile
from pathlib import Path

from amalgam.board.board import Board

MASK = (1 << 64) - 1

# The same in C, for the many rounds that the neighbours manage; checked against the Python below for the first ones.
REFERENCE = """
#include <stdint.h>
#include <stdlib.h>
void rounds(uint64_t seed, uint64_t words, uint64_t n, uint64_t *sums)
{
    uint64_t *area = malloc(words * 8), s = seed, sum = seed;
    for (uint64_t i = 0; i < words; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        area[i] = s;
    }
    for (uint64_t r = 0; r < n; r++) {
        for (uint64_t i = 0; i < words; i++) {
            sum = (sum << 7 | sum >> 57) ^ area[i];
            area[i] = sum + i;
        }
        sums[r] = sum;
    }
    free(area);
}
"""


def checksums(seed: int, mib: int, rounds: int) -> list[int]:
    """What guests/checksum.c prints after each round."""
    s = total = seed
    area, sums = [], []
    for _ in range(mib << 17):
        s ^= s << 13 & MASK
        s ^= s >> 7
        s ^= s << 17 & MASK
        area.append(s)
    for _ in range(rounds):
        for i, value in enumerate(area):
            total = ((total << 7 | total >> 57) & MASK) ^ value
            area[i] = total + i & MASK
        sums.append(total)
    return sums


@functools.cache
def library() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "sum.c", Path(folder) / "sum.so"
        source.write_text(REFERENCE)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", made, source], check=True)
        found = ctypes.CDLL(str(made))
    assert compute(found, 7, 1, 3) == checksums(7, 1, 3)
    return found


def compute(library: ctypes.CDLL, seed: int, mib: int, rounds: int) -> list[int]:
    out = (ctypes.c_uint64 * rounds)()
    library.rounds(ctypes.c_uint64(seed), ctypes.c_uint64(mib << 17), ctypes.c_uint64(rounds), out)
    return list(out)


def reports(board: Board, name: str) -> list[tuple[int, int, int]]:
    """Round, checksum and ticks a round of each report so far."""
    found = re.findall(r"round=(\d+) sum=([0-9a-f]+) ticks=(\d+) worst=\d+\r*\n", board[name].text)
    return [(int(r), int(s, 16), int(t)) for r, s, t in found]


def check_neighbour(board: Board, name: str, seed: int, mib: int) -> None:
    board[name].seek(0)
    board[name].expect(r"(?s)(?:worst=\d+\r*\n.*?){3}", 60)
    said = reports(board, name)
    assert len(said) > 2, board[name].tail()
    sums = compute(library(), seed, mib, said[-1][0])
    assert [(r, s) for r, s, _ in said] == [(r, sums[r - 1]) for r, _, _ in said]
    assert "somebody else" not in board[name].text
