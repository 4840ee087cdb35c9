# SPDX-License-Identifier: MIT
"""What `run --gdb` tells a person to type: each kind of machine says itself who waits for a debugger."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam.board.debugger import hint
from amalgam.board.fleet import Fleet
from amalgam.board.machine import Machine
from amalgam.board.manycore import Manycore
from amalgam.board.manycore_fleet import ManycoreFleet
from amalgam.board.scc_fleet import SccFleet
from amalgam.board.started import Started
from amalgam.board.virt import VirtMachine

ELF, IMAGE = Path("/k.elf"), Path("/i")
CLUSTERS = {
    "emulator": "qemu",
    "machine": "virt",
    "cpu": "rv64",
    "harts": 4,
    "memory": 1 << 27,
    "image": IMAGE,
    "names": ["a", "b"],
    "kernels": [ELF, ELF],
}
PY, PY_405 = "-x tools/gdb/amalgam.py /k.elf -ex", "-x tools/gdb/ppc405.py /k.elf -ex"


@pytest.mark.parametrize(
    ("machine", "lines"),
    [
        (Machine(kernel=ELF), [f"gdb {PY} 'target remote 127.0.0.1:1234'"]),
        (Machine(kernel=ELF, program="qemu-system-i386"), [f"gdb {PY} 'target remote 127.0.0.1:1234'"]),
        (
            Machine(kernel=ELF, program="qemu-system-i386", ring1=True),
            ["gdb -x tools/gdb/amalgam.py -x tools/gdb/ring1.py /k.elf -ex 'target remote 127.0.0.1:1234'"],
        ),
        (VirtMachine(kernel=ELF), [f"gdb-multiarch {PY} 'target remote 127.0.0.1:1234'"]),
        (
            Fleet("ref405ep", 2, 1, IMAGE, [], [], kernel=ELF),
            [f"core {i}: gdb-multiarch {PY_405} 'target remote 127.0.0.1:{1234 + i}'" for i in (0, 1)],
        ),
        (Manycore(**CLUSTERS), ["gdb-multiarch KERNEL -ex 'target remote 127.0.0.1:1234'"]),
        (
            ManycoreFleet(**CLUSTERS),
            [f"cluster {i} ({n}): gdb-multiarch {PY} 'target remote 127.0.0.1:{1234 + i}'" for i, n in enumerate("ab")],
        ),
        (SccFleet(kernel=ELF, chosen=[0, 5]), [f"core {i}: gdb {PY} 'target remote 127.0.0.1:{1234 + i}'" for i in (0, 5)]),
    ],
    ids=["pc", "pentium", "ring1", "virt", "ppc405", "manycore", "clusters", "scc"],
)
def test_each_machine_says_who_waits(machine: Started, lines: list[str]) -> None:
    said = hint(machine).splitlines()
    assert [line.strip() for line in said[1:]] == lines
    assert "another terminal" in said[0]
