# SPDX-License-Identifier: MIT
"""Parallel programs by messages (bench/scc/programs/rcce), by OpenMP (openmp there) and on shared pages (bench/scc/programs/pages.c): what they
compute is right, and by each of these on any number of cores the same to the bit."""

from __future__ import annotations

import cmath
import math
import re
import struct
from itertools import accumulate
from typing import Any

import pytest
from amalgam.build.kernel import build_kernel
from jacobi_on_pages import sums
from support import said

EDGE, SIDE, BLOCKS, PAIRS = 144, 192, 192, 320  # user/numeric
WORD = 0xFFFFFFFF
FIVE = (0, 5, 12, 30, 47)
PARTS = ("matmul", "fft", "ep")
NATIVE = {"kind": "native", "memory": "5M"}
PAGES = {"kind": "process", "program": "build:pages.elf", "memory": "2M", "shared": "4K", "svm": "4M"}
ORDERS = "03"  # without pauses, and with pauses by chance


@pytest.fixture(scope="session", autouse=True)
def scc() -> None:
    for shape in ("scc", "scc-process"):
        build_kernel(shape, lambda _text: None)


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
    for cores in ((0,), FIVE):
        with boot_module(system(cores, "apps", NATIVE), icount=True, chosen=cores) as board:
            board["apps"].expect("apps: done", 120)
            found.append(board["apps"].text)
    return found


def system(cores: tuple[int, ...], name: str, domain: dict[str, Any], *arguments: str) -> dict[str, Any]:
    made = {"program": f"build:{name}.elf", **domain, "ues": list(cores), "arguments": [name, *arguments]}
    return {"system": name, "board": "scc", "domains": {name: made}}


def words(text: str, pattern: str) -> tuple[str, ...]:
    match = re.search(pattern, text)
    assert match, pattern
    return match.groups()


def test_a_product_is_exact(texts: list[str]) -> None:
    assert [words(text, r"matmul on \d UEs: sums (\w+ \w+)") for text in texts] == [(product(),)] * 2


def test_a_transform_is_right(texts: list[str]) -> None:
    for k in range(4):
        value = complex(*map(float, words(texts[0], rf"fft: value {50 * k * SIDE} is (\S+) (\S+)")))
        assert value == pytest.approx(transformed(50 * k * SIDE), abs=1e-6)


def test_deviates_are_those_of_nas(texts: list[str]) -> None:
    x, y, counts = deviates()
    found = words(texts[0], r"ep: sums (\S+) (\S+), counts (\d+) (\d+) (\d+) (\d+)")
    assert [int(word) for word in found[2:]] == counts[:4]
    assert [float(word) for word in found[:2]] == pytest.approx([x, y], rel=1e-9)


@pytest.mark.parametrize("part", PARTS)
def test_the_result_is_one_cores_to_the_bit(texts: list[str], part: str) -> None:
    one, five = (words(text, rf"{part} on \d UEs: sums (\w+) (\w+)") for text in texts)
    assert one == five


@pytest.mark.parametrize("part", PARTS)
def test_openmps_result_is_that_of_messages(boot: Any, texts: list[str], part: str) -> None:
    with boot(system(FIVE, part, NATIVE), icount=True, chosen=FIVE) as board:
        line = said(board, part, rf"{part}: on 5 threads: sums (\w+) (\w+)")
        said(board, "kernel", rf"^domain {part}: done: exit status 0")
        text = board[part].text
    assert line.groups() == words(texts[0], rf"{part} on \d UEs: sums (\w+) (\w+)")
    for pattern in (r"(fft: value .*)", r"(ep: sums .*)"):
        assert re.findall(pattern, text) == [found for found in re.findall(pattern, texts[0]) if found.startswith(f"{part}:")]


@pytest.mark.parametrize("model", ["lazy", "strong", "undeclared"])
@pytest.mark.parametrize("cores", [(0,), FIVE], ids=["one", "five"])
def test_the_result_on_shared_pages_is_that_of_messages(boot: Any, texts: list[str], cores: tuple[int, ...], model: str) -> None:
    """In each order of execution."""
    with boot(system(cores, "pages", PAGES, model, ORDERS, "apps"), icount=True, chosen=cores) as board:
        said(board, "pages", "pages: done")
        text = board["pages"].text
    for part in PARTS:
        wanted = words(texts[0], rf"{part} on \d UEs: sums (\w+) (\w+)")
        for pauses in ORDERS:
            assert words(text, rf"{part} {model} on {len(cores)} cores, pauses {pauses}: sums (\w+) (\w+)") == wanted
    for pattern in (r"fft: value .*", r"ep: sums .*"):
        assert re.findall(pattern, text) == re.findall(pattern, texts[0]) * len(ORDERS)


SOLVERS = {  # of Jacobi's iteration: the program, its domain, what it says, arguments before the size
    "messages": ("jacobi", NATIVE, r"jacobi: 10 iterations on 5 UEs: sums (\w+ \w+)", ()),
    "openmp": ("heat", NATIVE, r"heat: 10 iterations of \d+ rows on 5 threads: sums (\w+ \w+)", ()),
    **{
        model: ("pages", PAGES, rf"jacobi {model} on 5 cores, pauses 3: sums (\w+ \w+)", (model, "3", "jacobi"))
        for model in ("lazy", "strong", "undeclared")
    },
}


@pytest.mark.parametrize("size", [(3, 30), (15, 126)], ids=["fewer-rows-than-cores", "three-rows-each"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_jacobi_on_a_small_grid_is_equal_to_the_bit(boot: Any, solver: str, size: tuple[int, int]) -> None:
    """An iteration carries values that are not zero a row further, so there are less than twice as many rows as iterations."""
    name, domain, pattern, before = SOLVERS[solver]
    with boot(system(FIVE, name, domain, *before, *map(str, size)), icount=True, chosen=FIVE) as board:
        assert said(board, name, pattern)[1] == sums(*size)
