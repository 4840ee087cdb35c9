# SPDX-License-Identifier: MIT
"""One case for each unit test, fuzzer and model; their Makefiles know the names. A failure says how to run just that one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
FUZZ_SHORT, FUZZ_FULL = 20_000, 1_000_000


def names(folder: str) -> list[str]:
    """What `make -C tests/FOLDER list` says."""
    return subprocess.run(["make", "-s", "-C", TESTS / folder, "list"], capture_output=True, text=True, check=True).stdout.split()


def make(folder: str, target: str, *variables: str) -> None:
    """Run one target; its output is shown only when it fails."""
    command = ["make", "--no-print-directory", "-C", f"tests/{folder}", target, *variables]
    done = subprocess.run(
        command, cwd=TESTS.parent, text=True, errors="replace", check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-60:])
        pytest.fail(f"{tail}\n\nrun just this one again: {' '.join(command)}", pytrace=False)


@pytest.mark.parametrize("name", names("unit"))
def test_unit(name: str) -> None:
    make("unit", f"run-{name}", f"PYTHON={sys.executable}")


@pytest.mark.parametrize("name", names("fuzz"))
def test_fuzz(name: str, full: bool) -> None:
    make("fuzz", f"run-{name}", f"RUNS={FUZZ_FULL if full else FUZZ_SHORT}", f"PYTHON={sys.executable}")


@pytest.mark.parametrize("name", names("model"))
def test_model(name: str) -> None:
    make("model", f"run-{name}")
