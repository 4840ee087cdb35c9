# SPDX-License-Identifier: MIT
"""Programs of processes on this machine's Linux, with process_runner.c in the kernel's place."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts.cpio import Archive
from amalgam.build.posix import NO_DISPATCH, build_runner

Done = subprocess.CompletedProcess


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_runner(tmp_path_factory.mktemp("runner") / "runner")


@pytest.fixture(scope="session")
def process(runner: Path) -> Callable[..., Done]:
    """Run a program: memory in KiB, threads, an archive of files, arguments, and NAME=VALUE behind '--'."""

    def run(program: Path, *words: str, memory: int = 256, threads: int = 1, timeout: float = 120, files: Path | str = "-") -> Done:
        command = [runner, program, str(memory * 1024), str(threads), files, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode == NO_DISPATCH:
            pytest.skip(done.stderr)
        return done

    return run


LINES = 4000
PROLOGUE = """
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
__attribute__((unused)) static int wrong;
#define MUST(what) do if (!(what)) { wrong = 1; printf("line %d: %s, errno %d\\n", __LINE__, #what, errno); } while (0)
__attribute__((unused)) static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }
#line 1
"""


@pytest.fixture
def run(process: Callable[..., Done], tmp_path: Path) -> Callable[..., Done]:
    """Compile C text and run it with an archive: /data, which has lines of 40 equal characters, /short and /folder."""
    archive = Archive()
    archive.file("data", b"".join(bytes([ord("a") + i % 26]) * 40 + b"\n" for i in range(LINES)))
    archive.file("short", b"0123456789\n")
    archive.directory("folder")
    (tmp_path / "archive").write_bytes(archive.bytes())

    def compiled(text: str, *words: str, threads: int = 5, prologue: str = PROLOGUE, **how: object) -> Done:
        (tmp_path / "main.c").write_text(prologue + text, encoding="utf-8")
        command = [paths.ROOT / "amalgam", "cc", "-Wall", "-Wextra", "-Werror", "-O2", *words]
        done = subprocess.run([*command, tmp_path / "main.c", "-o", tmp_path / "program"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return process(tmp_path / "program", "program", threads=threads, files=tmp_path / "archive", timeout=20, **how)

    return compiled
