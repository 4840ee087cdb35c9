# SPDX-License-Identifier: MIT
"""Debian's Xen boots as a guest, to a Linux of its own: the package's kernel, dom0's kernel and initrd as its modules. By VT-x in the long run."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command
from second import EMULATOR

pytestmark = pytest.mark.beside

PATIENCE = {"": 200, "bochs": 900}  # until dom0 is up
SMAP = {"": " smap=0", "bochs": ""}  # QEMU's IRETQ to ring 3 faults with SMAP
XEN = {
    "boot": "multiboot2",
    "kernel": "debian:xen",
    "modules": [{"file": "debian:vmlinux", "cmdline": "vmlinux console=hvc0 quiet"}, {"file": "debian:initrd"}],
    "memory": "512M",
    "devices": [{"type": "uart"}],
}


@pytest.mark.parametrize("board", [pytest.param("q35", id="amd"), pytest.param("bochs-intel", id="intel", marks=pytest.mark.full)])
def test_xen_boots_to_its_dom0(boot: Any, board: str) -> None:
    emulator = EMULATOR[board]
    xen = XEN | {"cmdline": f"xen com1=115200,8n1 console=com1{SMAP[emulator]} dom0_mem=256M dom0_max_vcpus=1 noreboot"}
    with boot({"system": "xen", "board": board, "cores": 1, "memory": "768M", "domains": {"xen": xen}}, emulator=emulator) as b:
        b["xen"].expect(r"Xen version 4\.17", PATIENCE[emulator])
        b["xen"].expect(r"amalgam-init: up .* 1 cpu, ", PATIENCE[emulator])
        await_shell(b["xen"], PATIENCE[emulator])
        output, status = run_command(b["xen"], "cat /sys/hypervisor/type", 60)
        assert (output.strip(), status) == ("xen", 0)
        b["xen"].send("poweroff\n")
        b.kernel.expect("domain xen: power-off", PATIENCE[emulator])
