# SPDX-License-Identifier: MIT
"""The README's two commands on a fresh, minimal Debian of each release that it names (./fresh-root does one by hand)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SUITES = ("bookworm", "trixie")
QUICK = "test_units or tests/tools or footprint or test_boot or doctor"  # all of it takes an hour a release; by hand: fresh-root SUITE 'make test'

pytestmark = [pytest.mark.full, pytest.mark.skipif(os.geteuid() != 0, reason="needs root rights: mount and chroot")]


def fresh(suite: str, command: str, keep: bool) -> str:
    """What the command prints in a root of the release; `keep`: in the one that an earlier test made."""
    done = subprocess.run(
        [HERE / "fresh-root", suite, command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "AMALGAM_KEEP": str(int(keep))},
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout + done.stderr


@pytest.mark.parametrize("suite", SUITES)
def test_setup_and_a_real_guest(suite: str) -> None:
    said = fresh(suite, "make setup && ./amalgam run debian --exec linux:'uname -a'", keep=False)
    assert "Linux linux " in said


@pytest.mark.parametrize("suite", SUITES)
def test_the_ppc405_board(suite: str) -> None:
    assert "ppc" in fresh(suite, "./amalgam run ppc405 --exec linux:'uname -m'", keep=True)


@pytest.mark.parametrize("suite", SUITES)
def test_doctor_misses_nothing_and_the_quick_tests_pass(suite: str) -> None:
    fresh(suite, f"./amalgam doctor && ./amalgam test '{QUICK}' -- -q", keep=True)
