# SPDX-License-Identifier: MIT
"""Programs of processes on this machine's Linux, with process_runner.c in the kernel's place."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amalgam.paths import ROOT

Done = subprocess.CompletedProcess
NO_DISPATCH = 77


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("runner") / "runner"
    words = "-O2 -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fno-pie -no-pie -static -nostdlib -mgeneral-regs-only"
    words += " -fno-tree-loop-distribute-patterns -fcf-protection=none -Wl,--defsym=runner_start=__executable_start -Wl,--defsym=runner_end=etext"
    subprocess.run(["gcc", *words.split(), "-o", made, ROOT / "tests/host/process_runner.c"], check=True)
    return made


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
