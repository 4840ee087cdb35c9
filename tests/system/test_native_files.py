# SPDX-License-Identifier: MIT
"""Files in native programs, of RCCE and of OpenMP: there are none, and a program that looks for one is told so (user/native/files.c)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.rcce import OPENMP, RCCE
from amalgam.build.natives import compile_program, toolchain
from support import said

RUNTIMES = {"rcce": RCCE, "openmp": OPENMP}
LOOKS = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
static long us(void)
{
    struct timeval now;
    return gettimeofday(&now, NULL) ? -1 : now.tv_sec * 1000000L + now.tv_usec;
}
int main(void)
{
    FILE *f = fopen("inputmg.data", "r");
    printf("input %d %s\\n", f != 0, strerror(errno));
    f = fopen("results", "w");
    printf("results %d %s\\n", f != 0, strerror(errno));
    char c;
    printf("end %d\\n", (int)read(0, &c, 1));
    printf("bad %d", (int)read(7, &c, 1));
    printf(" %d\\n", errno == EBADF);
    printf("next %d\\n", fgetc(stdin));
    void *large = malloc(1u << 30), *small = malloc(5000);
    printf("memory %d %d\\n", large != 0, small != 0);
    long before = us();
    usleep(3000);
    printf("slept %d\\n", us() - before >= 3000);
    return write(1, "written\\n", 8) != 8;
}
"""


@pytest.mark.parametrize("name", RUNTIMES)
def test_a_program_that_looks_for_a_file_finds_none_and_goes_on(boot: Any, tmp_path: Path, name: str) -> None:
    runtime = RUNTIMES[name]
    source, made = tmp_path / "looks.c", tmp_path / "looks.elf"
    source.write_text(LOOKS, encoding="utf-8")
    tree = toolchain(lambda _text: None, runtime)
    assert compile_program(["-O2", "-Wall", "-Werror", str(source), "-o", str(made)], tree, runtime) == 0
    looks = {"kind": "native", "program": str(made), "ues": [0]}
    with boot({"system": "looks", "board": "scc", "domains": {"looks": looks}}, icount=True, chosen=(0,)) as board:
        said(board, "looks", "^input 0 No such file or directory")
        said(board, "looks", "^results 0 Read-only file system")
        said(board, "looks", "^end 0")
        said(board, "looks", "^bad -1 1")
        said(board, "looks", "^next -1")
        said(board, "looks", "^memory 0 1")
        said(board, "looks", "^slept 1")
        said(board, "looks", "^written")
        said(board, "kernel", "domain looks: done: exit status 0")
