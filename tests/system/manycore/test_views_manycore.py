# SPDX-License-Identifier: MIT
"""The three views of a program on four cores of a cluster, kernel and library and all: work that is done at the same time, and the same work
one after the other, of which the lengths of path and sum are known. Each word of memory is a flag."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.measure import clocks
from amalgam.paths import ROOT
from amalgam.system.compile import checked
from manycores import KERNELS

pytestmark = pytest.mark.beside

SHORT, LONG = 20_000, 40_000  # turns of two instructions
PROGRAM = """
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdlib.h>
#include "mark.h"

static struct work {
    unsigned long turns;
    int chained;
    uint32_t done;
} works[3];

static void *work(void *arg)
{
    struct work *w = arg;
    unsigned long n = w->turns;
    while (w->chained && w > works && !__atomic_load_n(&w[-1].done, __ATOMIC_ACQUIRE))
        amalgam_wait(&w[-1].done, 0, AMALGAM_NEVER);
    __asm__ volatile("1: addi %0, %0, -1\\n bnez %0, 1b" : "+r"(n));
    __atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
    amalgam_wake(&w->done, 1);
    return NULL;
}

static void run(unsigned long turns, int chained)
{
    pthread_t t[3];
    for (unsigned i = 0; i < 3; i++)
        works[i] = (struct work){ turns * (i + 1), chained, 0 };
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, work, &works[i]))
            abort();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    run(1, 0); /* stacks are there */
    MARK(1); run(SHORT, 0); MARK(2);
    MARK(3); run(LONG, 0); MARK(4);
    MARK(5); run(SHORT, 1); MARK(6);
    MARK(7); run(LONG, 1); MARK(8);
    return 0;
}
"""


def near(value: int, expected: int) -> bool:
    """To a hundredth, as the rest of the two windows differs by some instructions."""
    return abs(value - expected) <= max(expected, 2 * (LONG - SHORT)) / 100


@pytest.mark.parametrize("bits", [64, 32])
def test_path_is_the_longest_chain_and_all_is_the_sum(running, tmp_path: Path, bits: int) -> None:
    machine = MACHINES[f"riscv{bits}"]
    source, program, out = tmp_path / "views.c", tmp_path / "views", tmp_path / "clocks"
    source.write_text(PROGRAM.replace("SHORT", f"{SHORT}").replace("LONG", f"{LONG}"), encoding="utf-8")
    words = ["-O2", f"-I{ROOT}/user/programs", str(source), "-o", str(program)]
    assert programs.compile_program(words, programs.toolchain(lambda _text: None, machine), machine) == 0
    board = "manycore" if bits == 64 else "manycore32"
    process = {"kind": "process", "program": str(program), "memory": "256K", "power": "board"}
    system = {
        "system": "views",
        "board": board,
        "kernel": KERNELS[board],
        "clusters": {"io": {"kind": "io", "harts": 5, "domains": {"views": process}}},
    }
    path = tmp_path / "views.yaml"
    path.write_text(yaml.safe_dump(system, sort_keys=False), encoding="utf-8")
    placed = checked(path, True, lambda _text: None)
    with running(system, clocks.options(out, [(placed.noc, placed.end)])) as started:
        assert started.wait(120) == 0
    found = clocks.read(out)
    short, long, chained_short, chained_long = (found.spans(mark, mark + 1)[0] for mark in (1, 3, 5, 7))
    more = 2 * (LONG - SHORT)  # instructions of the first thread; the others have two and three times as many
    assert near(long.path - short.path, 3 * more), (short, long)
    assert near(long.all - short.all, 6 * more), (short, long)
    assert near(long.own - short.own, 0), (short, long)
    assert near(chained_long.path - chained_short.path, 6 * more), (chained_short, chained_long)
    assert near(chained_long.all - chained_short.all, 6 * more), (chained_short, chained_long)
