# SPDX-License-Identifier: MIT
"""The newest Linux that this Debian has: it looks at more of a CPU than the stock one while the CPU starts, and believes what it sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.system.units import MIB
from linuxhost import Host

pytestmark = pytest.mark.beside


@pytest.fixture(scope="module")
def host(boot_linux: Any, newest_linux: str) -> Iterator[Host]:
    with boot_linux(meta=newest_linux, cores=2, memory=1536 * MIB, accel="tcg,thread=single") as host:
        yield host


def test_a_cpu_that_was_given_and_taken_back_leaves_amdv_as_it_was(host: Host) -> None:
    """init_amd() of Linux 6.12 forgets AMD-V for all CPUs when the one that starts says that AMD-V is disabled."""
    assert float(".".join(host.ok("uname -r").split(".")[:2])) >= 6.12
    flags = "grep -c '^flags.* svm ' /proc/cpuinfo"
    host.ok("amalgam load; amalgam attach; amalgam cpu give 1; amalgam memory give 1M; amalgam memory take; amalgam cpu take 1")
    assert host.ok(flags) == "2\n"
    host.ok("amalgam detach; amalgam unload; amalgam load; amalgam attach")
    assert host.json("status")["cpus_attached"] == 2
    assert host.complaints(memory=True) == []
    host.refused("for m in $(cat /lib/modules/kvm.order); do insmod /lib/modules/$m.ko || exit 1; done", "kvm_amd.*rror")  # in use by us
    host.ok("amalgam detach; amalgam unload")
