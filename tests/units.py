# SPDX-License-Identifier: MIT
"""Unit tests, fuzzers and models as jobs beside the tests that wait for a board, and giving way to those."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parent
FUZZ_SHORT, FUZZ_FULL = 20_000, 1_000_000
STRESS_FULL = 1_000_000  # steps of unit tests that draw what they do (getenv("STEPS")), each of which has its own number otherwise


def names(folder: str) -> list[str]:
    """What `make -C tests/FOLDER list` says."""
    return subprocess.run(["make", "-s", "-C", TESTS / folder, "list"], capture_output=True, text=True, check=True).stdout.split()


def make(folder: str, name: str, full: bool) -> str:
    """Run one; empty, or what it printed when it failed and how to run it again."""
    command = ["make", "--no-print-directory", "-C", f"tests/{folder}", f"run-{name}", f"PYTHON={sys.executable}"]
    if folder == "fuzz":
        command.append(f"RUNS={FUZZ_FULL if full else FUZZ_SHORT}")
    if folder == "unit" and full:
        command.append(f"STEPS={STRESS_FULL}")
    done = subprocess.run(
        ["nice", "-n", "19", *command],
        cwd=TESTS.parent,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if not done.returncode:
        return ""
    tail = "\n".join(done.stdout.splitlines()[-60:])
    return f"{tail}\n\nrun just this one again: {' '.join(command)}"


class Jobs:
    """As many beside each other as there are processors."""

    def __init__(self, chosen: Iterable[tuple[str, str]], full: bool):
        self.pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self.chosen, self.full = list(chosen), full
        self.running: dict[tuple[str, str], Future[str]] = {}

    def begin(self) -> None:
        """All that were chosen, unless that was done before."""
        if not self.running:
            self.running = {job: self.pool.submit(make, *job, self.full) for job in self.chosen}

    def outcome(self, folder: str, name: str) -> str:
        """Wait for one: what make() says of it."""
        self.begin()
        return self.running[folder, name].result()

    def stop(self) -> None:
        """Those that have not begun never will; wait for the others."""
        self.pool.shutdown(cancel_futures=True)
