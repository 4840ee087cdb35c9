# SPDX-License-Identifier: MIT
"""Debian's Xen boots as a guest, to a Linux of its own: the package's kernel, dom0's kernel and initrd as its modules."""

from __future__ import annotations

from typing import Any

import pytest
from amalgam.board.shell import await_shell, run_command

pytestmark = pytest.mark.beside

XEN = {
    "boot": "multiboot2",
    "kernel": "debian:xen",
    "cmdline": "xen com1=115200,8n1 console=com1 smap=0 dom0_mem=256M dom0_max_vcpus=1 noreboot",
    "modules": [{"file": "debian:vmlinux", "cmdline": "vmlinux console=hvc0 quiet"}, {"file": "debian:initrd"}],
    "memory": "512M",
    "devices": [{"type": "uart"}],
}


def test_xen_boots_to_its_dom0(boot: Any) -> None:
    with boot({"system": "xen", "board": "q35", "cores": 1, "memory": "768M", "domains": {"xen": XEN}}) as board:
        board["xen"].expect(r"Xen version 4\.17", 60)
        board["xen"].expect(r"amalgam-init: up .* 1 cpu, ", 200)
        await_shell(board["xen"], 60)
        output, status = run_command(board["xen"], "cat /sys/hypervisor/type", 60)
        assert (output.strip(), status) == ("xen", 0)
        board["xen"].send("poweroff\n")
        board.kernel.expect("domain xen: power-off", 60)
