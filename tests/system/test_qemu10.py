# SPDX-License-Identifier: MIT
"""The central promises on QEMU 10, three years newer than the one that everything else was seen on: the same tests, with AMALGAM_QEMU=10.

Where it does otherwise the test itself asks which version it is, and docs/boards.md says whose fault that is. On a machine whose own emulator
is a QEMU 10 the whole suite runs on it, and these are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from amalgam import paths
from amalgam.artifacts import qemu10
from amalgam.build.modules import OTHERS
from amalgam.commands.test import PYTEST

pytestmark = [pytest.mark.full, pytest.mark.skipif(qemu10.is_machines_own(), reason="the machine's own emulator is QEMU 10")]

# Files of tests/system by what they are about.
PROMISES = {
    "pc": [
        "test_events.py",
        "test_registers.py",
        "test_prefixed.py",
        "test_smp.py",
        "test_windows.py",
        "test_hostile.py",
        "test_checked.py",
    ],
    "pc-linux": ["test_boot.py", "test_tunnel.py"],
    "pc-processes": ["test_processes.py", "test_hostile_process.py", "test_process_registers.py"],
    "pc-quirks": ["test_quirks.py"],
    "selfvirt": ["test_self_virtualization.py"],
    "attach": ["attach/test_one_cpu.py", "attach/test_domains.py", "attach/test_refusals.py"],
    "i586": ["test_i586.py", "test_i586_processes.py", "test_i586_hostile.py", "test_ring1.py"],
    "scc": ["test_scc.py", "test_scc_mail.py", "test_scc_boot.py", "test_scc_strong.py", "test_svm.py"],
    "virt": ["test_virt.py", "test_virt_faults.py", "test_virt_processes.py", "test_virt_hostile.py"],
    "manycore": [f"manycore/test_{name}_manycore.py" for name in ("boot", "calls", "cluster", "pmp", "kernel", "portals", "fleet")],
}


def on_it(files: list[str]) -> subprocess.CompletedProcess[str]:
    words = [*PYTEST, "-q", "-n", "0", "-k", OTHERS, *(str(paths.ROOT / "tests/system" / file) for file in files)]
    return subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "AMALGAM_QEMU": qemu10.VERSION})


@pytest.mark.parametrize("shape", PROMISES)
def test_promises_hold_on_qemu_10(shape: str) -> None:
    done = on_it(PROMISES[shape])
    assert done.returncode == 0 and re.search(r"\d+ passed", done.stdout), done.stdout[-4000:] + done.stderr[-1000:]
