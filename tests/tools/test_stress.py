# SPDX-License-Identifier: MIT
"""The load that tests of the attach shape run: it works on any Linux, and it does notice a difference."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from amalgam import paths


@pytest.fixture(scope="module")
def stress(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("linux")
    subprocess.run(["make", "-s", "-C", paths.ROOT / "linux", f"OUT={made}", "stress"], check=True)
    return made / "amalgam-stress"


def test_every_kind_of_work_is_right_on_this_machine(stress: Path) -> None:
    kinds = ["file", "fault", "timer", "signal", "registers", "tcp", "udp"]  # fork executes busybox, module needs root
    done = subprocess.run([stress, "1", ",".join(kinds)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[1] for line in done.stdout.splitlines()] == [*kinds, "all"]


def test_a_difference_is_said_and_ends_it(stress: Path) -> None:
    done = subprocess.run([stress, "60", "liar,timer"], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 1
    assert "stress: wrong: word 0 of pattern" in done.stderr and "stress: FAILED" in done.stdout
