# SPDX-License-Identifier: MIT
"""A process has the files that its system gives it, in each of its lives, and changes them for as long as it lives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import compile_program, toolchain
from support import after, ended, said

WRITES = r"""
#include <amalgam/calls.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static int is(int result, int error) { return result == -1 && errno == error; }
int main(void)
{
    struct stat s;
    if (stat("first", &s) || s.st_size != 6 || !is(access("second", F_OK), ENOENT))
        return 2;
    FILE *f = fopen("first", "a");
    if (!f || fputs("more\n", f) < 0 || fclose(f) || rename("first", "second") || unlink("etc/large") || rmdir("etc"))
        return 3;
    if (stat("second", &s) || s.st_size != 11 || !is(rmdir("etc"), ENOENT) || mkdir("etc", 0777) || !is(mkdir("etc", 0777), EEXIST))
        return 4;
    char **end = environ;
    while (*end)
        end++;
    const uint64_t *pair = (const uint64_t *)(end + 1);
    while (pair[0] != AMALGAM_AT_FILES)
        pair += 2;
    char *file = (char *)pair[1];
    if (*file == '0')
        *file = 'x';
    return 0;
}
"""
READ = r'files: /:\r*\nfiles: /etc:\r*\nfiles: /etc/large: 20006 bytes, 160 lines, sum [0-9a-f]{8}, last "end"\r*\nfiles: /first: 6 bytes, 1 lines'


@pytest.mark.parametrize(("board", "machine"), [("q35", "x86_64"), ("virt", "riscv64")])
def test_a_process_changes_its_files_for_its_life_and_never_the_archive(boot: Any, tmp_path: Path, board: str, machine: str) -> None:
    tree = tmp_path / "tree"
    (tree / "etc").mkdir(parents=True)
    (tree / "first").write_text("hello\n", encoding="utf-8")
    (tree / "etc/large").write_text("x" * 20000 + "\n\nend\n", encoding="utf-8")
    (tmp_path / "writes.c").write_text(WRITES, encoding="utf-8")
    words = ["-O1", "-Wall", "-Werror", str(tmp_path / "writes.c"), "-o", str(tmp_path / "writes")]
    assert compile_program(words, toolchain(lambda _text: None, MACHINES[machine]), MACHINES[machine]) == 0
    common = {"kind": "process", "memory": "128K", "files": str(tree)}
    domains = {
        "files": common | {"program": "build:files.elf", "arguments": ["files", "/"]},
        "writes": common | {"program": str(tmp_path / "writes"), "autostart": False},
    }
    with boot({"system": "files", "board": board, "memory": "128M", "domains": domains}) as running:
        said(running, "files", READ)
        said(running, "kernel", "domain files: done: exit status 0")
        end = ended(running, "writes")
        assert re.fullmatch(r"fault: thread 0: (store )?page fault at image\+[0-9a-f]+, address [0-9a-f]+", end), end
        after(running, "start files", "files", READ)
        assert ended(running, "writes") == end  # in its next life all is as it was
