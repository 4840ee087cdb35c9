# SPDX-License-Identifier: MIT
"""Random calls of the module's devices (linux/stress/fuzz), while programs run: nothing complains, nothing is lost, and it works afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.system.units import MIB
from linuxhost import Host

STEPS, STEPS_FULL = 4_000, 100_000
KEPT, KEPT_FULL = (4096, 2048), (8192, 6144)
"""KiB of memory and of slabs that Linux may keep: 1 KiB a call, or 84 bytes. What the work beside takes grows with its time (slabinfo: sockets in
TIME-WAIT, pids, stacks)."""
BLOCK = 128 * MIB
SAID = r"amalgam: (CPU \d+ (stays|belongs)|still attached)"
"""What the module itself warns of."""


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    with boot_linux(cores=3, memory=1536 * MIB, accel="tcg,thread=single") as host:
        yield host


@pytest.fixture(scope="module")
def block(host: Host) -> int:
    """A memory block that is offline."""
    tries = "for b in $(seq 15 -1 2); do echo offline >/sys/devices/system/memory/memory$b/state && echo $b && break; done"
    return int(host.ok(f"({tries}) 2>/dev/null"))


def complaints(host: Host) -> list[str]:
    return [line for line in host.complaints(memory=True) if not re.search(SAID, line)]


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.full) for n in (2, 3))])
def test_random_calls(host: Host, block: int, full: bool, seed: int) -> None:
    steps = STEPS_FULL if full else STEPS
    fuzz = f"amalgam-fuzz {seed} {steps} /usr/lib/amalgam/amalgam.bin {block * BLOCK:#x} {BLOCK}"
    host.ok("modprobe amalgam")
    host.ok(fuzz.replace(str(steps), "300"), 300)  # what is allocated once
    complaints(host)
    before, clock = host.memory(), host.clock()
    with host.stress("fork,file,fault,timer,signal,registers,tcp"):
        said = host.ok(f"{fuzz}", 300 + steps // 10)
    passed = {name: int(n) for name, n, _ in re.findall(r"^(\w+) (\d+) (\d+)\r?$", said, re.M)}
    refused = {name: int(n) for name, _, n in re.findall(r"^(\w+) (\d+) (\d+)\r?$", said, re.M)}
    assert all(passed[name] and refused[name] for name in ("load", "unload", "attach", "detach", "cpu_state", "why", "read", "mmap")), said
    assert all(refused.values()), said
    if full:
        assert passed["cpu_give"] and passed["cpu_take"] and passed["mem_give"] and passed["mem_take"] and passed["mem_write"], said
    assert complaints(host) == []
    host.keeps(before, *(KEPT_FULL if full else KEPT))
    assert host.moved(clock) < 0.5
    assert host.ok("cat /sys/devices/system/cpu/online") == "0-2\n"
    host.ok("amalgam load; amalgam attach; amalgam cpu give 2; amalgam cpu take 2; amalgam detach; amalgam unload; rmmod amalgam")


def test_two_threads_of_one_process(host: Host) -> None:
    """A mapping waits for nobody who may wait for the same process' memory."""
    host.ok("modprobe amalgam; timeout 100 amalgam-fuzz threads", 150)
    host.refused(f"amalgam load --heap {(1 << 46) - 1}", "more than the kernel can be loaded with")
    assert host.state == "empty"
    assert complaints(host) == []


def test_two_at_once(host: Host, block: int) -> None:
    fuzz = f"/usr/lib/amalgam/amalgam.bin {block * BLOCK:#x} {BLOCK} >/dev/null 2>&1"
    host.ok(f"modprobe amalgam; amalgam-fuzz 11 {STEPS} {fuzz} & amalgam-fuzz 12 {STEPS} {fuzz}; wait; true", 300)
    host.run(f"amalgam-fuzz 13 1 {fuzz}")  # takes back what the first left to the second
    assert host.state == "empty"
    assert complaints(host) == []
