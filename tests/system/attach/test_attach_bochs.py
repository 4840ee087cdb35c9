# SPDX-License-Identifier: MIT
"""The kernel goes beneath a running Linux on Bochs, whose AMD-V shares no code with QEMU's, and out again: the long run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.artifacts import kernel
from amalgam.attach.bochs import BochsLinux
from linuxhost import Host
from second import need

pytestmark = [pytest.mark.beside, pytest.mark.full]


@pytest.fixture(scope="module")
def host(boot_linux: Any, linux_package: str) -> Iterator[Host]:
    if linux_package != kernel.META:
        pytest.skip("the stock Linux was tried on Bochs, no other one")
    need("bochs")
    with boot_linux(kind=BochsLinux) as host:
        yield host


def test_the_way_in_and_out_by_another_amdv(host: Host) -> None:
    host.ok("amalgam load")
    assert host.json("attach")["cpus"] == 1
    status = host.json("status")
    assert (status["state"], status["cpus_attached"], status["dead"]) == ("attached", 1, False)
    assert "loaded beneath Linux: 1 CPUs" in host.ok("amalgam log")
    host.refused("amalgam unload", "is attached.*\n.*amalgam detach")
    assert host.json("detach")["cpus"] == 1
    host.ok("amalgam unload; rmmod amalgam")


def test_programs_notice_neither_the_layer_nor_its_switches_by_another_amdv(host: Host) -> None:
    """Work of all kinds while it is attached, and while it goes in and out."""
    host.ok("amalgam load; amalgam attach; amalgam-stress 5; amalgam detach")
    with host.stress():
        assert host.json("cycle 50", 300)["cycles"] == 50
    status = host.json("status")
    assert (status["state"], status["attaches"] - status["detaches"]) == ("loaded", 0)
    host.ok("amalgam unload; rmmod amalgam")
    assert host.complaints() == []
