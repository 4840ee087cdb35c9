# SPDX-License-Identifier: MIT
"""One case for each unit test, fuzzer and model; their Makefiles know the names. A failure says how to run just that one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
FUZZ_SHORT, FUZZ_FULL = 20_000, 1_000_000


def names(folder: str) -> list[str]:
    """What `make -C tests/FOLDER list` says."""
    return subprocess.run(["make", "-s", "-C", TESTS / folder, "list"], capture_output=True, text=True, check=True).stdout.split()


def make(folder: str, name: str, full: bool) -> str:
    """Run one; empty, or what it printed when it failed and how to run it again."""
    command = ["make", "--no-print-directory", "-C", f"tests/{folder}", f"run-{name}", f"PYTHON={sys.executable}"]
    if folder == "fuzz":
        command.append(f"RUNS={FUZZ_FULL if full else FUZZ_SHORT}")
    done = subprocess.run(
        command, cwd=TESTS.parent, text=True, errors="replace", check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if not done.returncode:
        return ""
    tail = "\n".join(done.stdout.splitlines()[-60:])
    return f"{tail}\n\nrun just this one again: {' '.join(command)}"


@pytest.fixture(scope="module")
def passes(request: pytest.FixtureRequest, full: bool) -> Iterator[Callable[[str, str], None]]:
    """All that were chosen are begun at once, as many beside each other as there are processors; a case waits for its own."""
    chosen = [item for item in request.session.items if item.path == request.path]
    pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    running: dict[tuple[str, str], Future[str]] = {of(item): pool.submit(make, *of(item), full) for item in chosen}

    def passed(folder: str, name: str) -> None:
        if said := running[folder, name].result():
            pytest.fail(said, pytrace=False)

    yield passed
    pool.shutdown(cancel_futures=True)


def of(item: pytest.Item) -> tuple[str, str]:
    """Folder and name: of test_unit[decode] unit and decode."""
    folder, name = item.name.removesuffix("]").split("[")
    return folder.removeprefix("test_"), name


@pytest.mark.parametrize("name", names("unit"))
def test_unit(name: str, passes: Callable[[str, str], None]) -> None:
    passes("unit", name)


@pytest.mark.parametrize("name", names("fuzz"))
def test_fuzz(name: str, passes: Callable[[str, str], None]) -> None:
    passes("fuzz", name)


@pytest.mark.parametrize("name", names("model"))
def test_model(name: str, passes: Callable[[str, str], None]) -> None:
    passes("model", name)
