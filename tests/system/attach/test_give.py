# SPDX-License-Identifier: MIT
"""CPUs and memory that a running Linux gives up and gets back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from linuxhost import Host


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    with boot_linux(cores=4, memory=1536 << 20, accel="tcg,thread=single") as host:
        host.ok("amalgam load; amalgam attach")
        yield host


@pytest.fixture(autouse=True)
def clean(host: Host) -> Iterator[None]:
    """Every test begins attached, and ends with nothing given and no complaint in the log."""
    host.complaints()
    yield
    status = host.json("status")
    assert (status["state"], status["cores"], status["given"], status["cpus_attached"]) == ("attached", 0, 0, 4)
    assert host.complaints(memory=True) == []


def test_cpus_and_memory_go_and_come_back(host: Host) -> None:
    free = host.json("status")["free"]
    online = host.ok("cat /sys/devices/system/memory/*/state")
    host.ok("amalgam cpu give 3; amalgam memory give 130M")
    status = host.json("status")
    assert (status["cores"], status["given"]) == (1, 256 << 20)
    assert host.ok("cat /sys/devices/system/cpu/offline") == "3\n"
    host.refused("amalgam detach", "still given.*\n.*domain destroy")
    host.refused("echo 1 >/sys/devices/system/cpu/cpu3/online", "busy")
    block = host.ok("grep -l offline /sys/devices/system/memory/*/state | head -1").strip()
    host.refused(f"echo online >{block}", "busy")
    host.refused("amalgam cpu give 3", "not online")
    host.ok("amalgam memory take; amalgam cpu take 3")
    assert host.ok("cat /sys/devices/system/memory/*/state") == online
    assert abs(host.json("status")["free"] - free) <= 64 << 10
    host.known |= {line for line in host._log() if "belongs to the kernel below" in line}


def test_what_cannot_be_given_is_refused(host: Host) -> None:
    host.refused("amalgam cpu give 0", "cannot do without CPU 0")
    host.refused("amalgam cpu give 9", "no CPU 9")
    host.refused("amalgam cpu take 2", "was not given")
    host.refused("amalgam memory give 64G", "cannot do without|too many")
