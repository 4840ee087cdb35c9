# SPDX-License-Identifier: MIT
"""A processor without AMD-V: refused in words."""

from __future__ import annotations

from typing import Any


def test_a_processor_without_amdv_is_refused(boot_linux: Any) -> None:
    with boot_linux(cpu="EPYC,-svm,-hypervisor") as host:
        host.refused("amalgam load", "no AMD-V.*\n.*next: another machine", 3)
        host.ok("rmmod amalgam")
        assert host.complaints() == []
