# SPDX-License-Identifier: MIT
"""The parallel programs of user/rcce/programs/apps.c, and one by OpenMP: what they compute is right, and on any number of cores the same to the bit."""

from __future__ import annotations

import cmath
import math
import re
import struct
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from amalgam.kernel import build_kernel
from support import said

EDGE, SIDE, BLOCKS, PAIRS = 144, 192, 192, 320  # user/rcce/programs/apps.c
WORD = 0xFFFFFFFF
APPS = {"kind": "native", "program": "build:apps.elf", "memory": "5M"}


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


def fletcher(values: list[float]) -> str:
    first = list(accumulate(struct.unpack(f"<{2 * len(values)}I", struct.pack(f"<{len(values)}d", *values))))
    return f"{first[-1] & WORD:x} {sum(first) & WORD:x}"


def product() -> str:
    """Of whole numbers, so no order of additions is another one's."""
    columns = [[(k * 5 + j * 11) % 13 for k in range(EDGE)] for j in range(EDGE)]
    rows = ([(i * 7 + k * 3) % 17 for k in range(EDGE)] for i in range(EDGE))
    return fletcher([float(sum(map(int.__mul__, row, column))) for row in rows for column in columns])


def transformed(number: int) -> complex:
    n = SIDE * SIDE
    return sum(complex(i * 7919 % 17 - 8, i * 5003 % 13 - 6) * cmath.exp(-2j * cmath.pi * (i * number % n) / n) for i in range(n))


def deviates() -> tuple[float, float, list[int]]:
    seed, x_sum, y_sum, counts = 271828183, 0.0, 0.0, [0] * 10
    for _ in range(BLOCKS * PAIRS):
        pair = []
        for _ in range(2):
            seed = seed * 5**13 % 2**46
            pair.append(2 * seed / 2**46 - 1)
        t = pair[0] ** 2 + pair[1] ** 2
        if t <= 1:
            x, y = (value * math.sqrt(-2 * math.log(t) / t) for value in pair)
            counts[int(max(abs(x), abs(y)))] += 1
            x_sum, y_sum = x_sum + x, y_sum + y
    return x_sum, y_sum, counts


@pytest.fixture(scope="module")
def texts(boot_module: Any) -> list[str]:
    """What the program says on one core and on five, of which some have more to do than others."""
    found = []
    for cores in ((0,), (0, 5, 12, 30, 47)):
        system = {"system": "apps", "board": "scc", "domains": {"apps": {**APPS, "ues": list(cores)}}}
        with boot_module(system, icount=True, chosen=cores) as board:
            board["apps"].expect("apps: done", 120)
            found.append(board["apps"].text)
    return found


def words(text: str, pattern: str) -> tuple[str, ...]:
    match = re.search(pattern, text)
    assert match, pattern
    return match.groups()


def test_a_product_is_exact(texts: list[str]) -> None:
    assert [words(text, r"matmul on \d UEs: sums (\w+ \w+)") for text in texts] == [(product(),)] * 2


def test_openmps_product_is_the_same(boot: Any) -> None:
    cores = (0, 5, 12, 30, 47)
    system = {
        "system": "matmul",
        "board": "scc",
        "domains": {"matmul": {**APPS, "program": "build:matmul.elf", "ues": list(cores), "power": "board"}},
    }
    with boot(system, icount=True, chosen=cores) as board:
        assert said(board, "matmul", r"matmul: on 5 threads: sums (\w+ \w+)", 120)[1] == product()


def test_a_transform_is_right(texts: list[str]) -> None:
    for k in range(4):
        value = complex(*map(float, words(texts[0], rf"fft: value {50 * k * SIDE} is (\S+) (\S+)")))
        assert value == pytest.approx(transformed(50 * k * SIDE), abs=1e-6)


def test_deviates_are_those_of_nas(texts: list[str]) -> None:
    x, y, counts = deviates()
    found = words(texts[0], r"ep: sums (\S+) (\S+), counts (\d+) (\d+) (\d+) (\d+)")
    assert [int(word) for word in found[2:]] == counts[:4]
    assert [float(word) for word in found[:2]] == pytest.approx([x, y], rel=1e-9)


@pytest.mark.parametrize("part", ["matmul", "fft", "ep"])
def test_the_result_is_one_cores_to_the_bit(texts: list[str], part: str) -> None:
    one, five = (words(text, rf"{part} on \d UEs: sums (\w+) (\w+)") for text in texts)
    assert one == five
