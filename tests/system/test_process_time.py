# SPDX-License-Identifier: MIT
"""What a process takes for the time: the board's wall clock, from the start of the board where it has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import compile_program, toolchain
from support import said

PROGRAM = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
int main(void)
{
    struct timespec now, then;
    char day[32];
    clock_gettime(CLOCK_REALTIME, &then);
    strftime(day, sizeof(day), "%Y-%m-%d", gmtime(&then.tv_sec));
    then.tv_nsec += 20000000;
    then.tv_sec += then.tv_nsec / 1000000000;
    then.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    int error = pthread_cond_timedwait(&never, &mutex, &then);
    clock_gettime(CLOCK_REALTIME, &now);
    long ms = (now.tv_sec - then.tv_sec) * 1000 + (now.tv_nsec - then.tv_nsec) / 1000000;
    clock_gettime(CLOCK_MONOTONIC, &then);
    printf("time: %s, waited %d, %ld ms late, %ld s since the start\\n", day, error == ETIMEDOUT, ms, (long)then.tv_sec);
    return 0;
}
"""


@pytest.mark.parametrize(("board", "machine"), [("q35", "x86_64"), ("virt", "riscv64"), ("scc", "i386")])
def test_the_time_is_the_boards(boot: Any, tmp_path: Path, board: str, machine: str) -> None:
    """The emulator's clock begins with 2026 under icount; an SCC has no clock. A timed wait is in that time, too."""
    (tmp_path / "time.c").write_text(PROGRAM, encoding="utf-8")
    words = ["-O1", "-Wall", "-Werror", str(tmp_path / "time.c"), "-o", str(tmp_path / "time")]
    assert compile_program(words, toolchain(lambda _text: None, MACHINES[machine]), MACHINES[machine]) == 0
    time = {"kind": "process", "memory": "128K", "program": str(tmp_path / "time")} | ({"ues": [0]} if board == "scc" else {})
    memory = {} if board == "scc" else {"memory": "128M"}
    with boot({"system": "time", "board": board, "domains": {"time": time}} | memory, icount=True) as running:
        found = said(running, "time", r"time: (\S+), waited 1, (\d+) ms late, (\d+) s since the start")
    assert found[1] == ("1970-01-01" if board == "scc" else "2026-01-01")
    assert int(found[2]) < 1000 or board == "scc"  # whose clock counts the instructions of all cores, which are booting
    assert int(found[3]) < 100
