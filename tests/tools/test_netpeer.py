# SPDX-License-Identifier: MIT
"""guests/linux/netpeer: what it prints of plain cards is of plain cards."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from amalgam import paths

STUBS = {  # commands of its root that a test has not, or must not call
    "insmod": "",
    "ip": "",
    "unshare": "",
    "usleep": "",
    "sleep": "",
    "readlink": 'echo "$1"',
    "cat": "echo 1",
    "nsenter": 'shift 3; "$@"',
    "netcost": 'echo "netcost $1"',
    "plaincard": 'echo "plaincard $1"; [ "$1" != "$REFUSES" ]',
}


def netpeer(folder: Path, mode: str, refuses: str) -> subprocess.CompletedProcess[str]:
    for name, body in STUBS.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    script = ["/bin/sh", paths.ROOT / "guests" / "linux" / "netpeer", mode]
    env = {"PATH": str(folder), "REFUSES": refuses}
    return subprocess.run(script, env=env, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("refuses", ["eth0", "eth1"])
def test_cards_that_do_not_become_plain_are_not_measured(tmp_path: Path, refuses: str) -> None:
    ran = netpeer(tmp_path, "plain", refuses)
    assert ran.returncode
    assert "netcost stream" not in ran.stdout
    assert "bench" not in ran.stdout


@pytest.mark.parametrize("mode", ["stream", "plain"])
def test_others_are(tmp_path: Path, mode: str) -> None:
    ran = netpeer(tmp_path, mode, "none")
    assert ran.stdout.count("plaincard") == 2 * (mode == "plain")
    assert "netcost stream" in ran.stdout
    assert "bench wire-bytes 1" in ran.stdout
