# SPDX-License-Identifier: MIT
"""Programs of processes on this machine's Linux, with process_runner.c in the kernel's place."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam.posix import NO_DISPATCH, build_runner

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
