# SPDX-License-Identifier: MIT
"""The README's two commands on a fresh, minimal Debian of each release that it names (./fresh-root does one by hand)."""

from __future__ import annotations

import os
import re
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


INSTALL = """
export DEBIAN_FRONTEND=noninteractive
sed -n 's/^\\(deb .*\\) {0} main/\\1 {0}-backports main/p' /etc/apt/sources.list >/etc/apt/sources.list.d/backports.list
apt-get update -q
for from in {0} {0}-backports; do apt-get install -q -y --no-install-recommends --allow-downgrades gcc linux-headers-amd64/$from -t $from; done
"""
BUILD = """
echo now it builds
for headers in /usr/src/linux-headers-*-amd64; do
    rm -rf /tmp/out
    make -C linux module KDIR=$headers OUT=/tmp/out
    echo built for ${headers#/usr/src/linux-headers-}
done
"""


@pytest.mark.parametrize("suite", SUITES)
def test_the_module_builds_for_each_linux_that_debian_offers(suite: str) -> None:
    """Its own and the newest of its backports, without a warning of the compiler or of objtool."""
    said = fresh(suite, f"set -e; {INSTALL.format(suite)} ({BUILD}) 2>&1", keep=True)
    built = re.findall(r"^built for (\S+)$", said, re.M)
    assert len(built) >= 2, said[-4000:]
    assert not re.search(r"warning|error:", said.split("now it builds")[1]), said[-4000:]
    for release in built:
        assert re.search(limits(), release), f"dkms.conf does not know {release}"


def limits() -> str:
    """The releases that DKMS builds the module for."""
    found = re.search(r'^BUILD_EXCLUSIVE_KERNEL="(.*)"$', (HERE.parents[1] / "linux/dkms.conf").read_text(), re.M)
    assert found
    return found[1]
