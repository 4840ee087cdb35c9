# SPDX-License-Identifier: MIT
"""How Linux ends while the kernel is beneath it: as it would without."""

from __future__ import annotations

from typing import Any

import pytest
from linuxhost import Host


def attached(host: Host) -> None:
    host.ok("amalgam load; amalgam attach")


@pytest.mark.parametrize("cores", [1, 2])
def test_a_crash_prints_its_panic_and_reboots(boot_linux: Any, cores: int) -> None:
    with boot_linux(cores=cores) as host:
        attached(host)
        host.board.console.send("echo c >/proc/sysrq-trigger\n")
        host.board.console.expect(r"Kernel panic - not syncing", 60)
        host.board.console.expect(r"Rebooting in 1 seconds", 60)
        assert host.board.wait(60) == 0  # -no-reboot: a reset ends the board


@pytest.mark.parametrize("way", ["reboot -f", "poweroff -f"])
def test_a_restart_takes_the_kernel_out_before(boot_linux: Any, way: str) -> None:
    with boot_linux(cores=2) as host:
        attached(host)
        host.ok("dmesg -n 8")
        host.board.console.send(f"{way}\n")
        assert host.board.wait(60) == 0
        assert "still attached" not in host.board.console.text
