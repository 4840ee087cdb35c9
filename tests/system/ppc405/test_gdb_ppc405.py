# SPDX-License-Identifier: MIT
"""A debugger a core: stops in the hypervisor and in the guest by their names, and shows who runs (docs/debugging.md)."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from guests405 import guest_elf
from support import Ports

CORES = 2


def debugger(port: int, guest: str, *commands: str) -> subprocess.Popen[str]:
    """The kernel's symbols and the guest's; what it prints is the test's."""
    words = ["gdb-multiarch", "-nx", "-batch", "-x", str(paths.ROOT / "tools/gdb/ppc405.py"), str(paths.kernel_elf("ppc405"))]
    script = ["set confirm off", "set remotetimeout 60", f"add-symbol-file {guest}", f"target remote 127.0.0.1:{port}", *commands, "detach"]
    for line in script:
        words += ["-ex", line]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="gdb-multiarch is not installed")
def test_each_core_can_be_looked_into(fleet: Any) -> None:
    hello = guest_elf("hello")
    guests = {f"g{i}": {"kernel": str(hello), "memory": "1M", "cores": [i], "power": "board", "cmdline": "us=20000"} for i in range(CORES)}
    system = {"system": "gdb", "board": "ref405ep", "cores": CORES, "domains": guests}
    ports = Ports(CORES)
    entry = "core.current->tlb"  # the guest runs in real mode and has none
    commands = [
        "info symbol $pc",
        "hbreak vm_exit",
        "continue",
        "info symbol $pc",
        "delete",
        "hbreak guest_main",
        "continue",
        "info symbol $pc",
        "amalgam core",
        "amalgam vms",
        "amalgam regs",
        *("maintenance packet Qqemu.PhyMemMode:1", f"set var {entry}_hi[5] = 0x400000c0", f"set var {entry}_lo[5] = 0x5300"),
        "amalgam tlb",
        *("maintenance packet Qqemu.PhyMemMode:1", f"set var {entry}_hi[5] = 0", f"set var {entry}_lo[5] = 0"),
        "maintenance packet Qqemu.PhyMemMode:0",
        "delete",
    ]
    with fleet(system, gdb=True, gdb_port=lambda: ports.first) as board:
        running = [debugger(ports.first + core, str(hello), *commands) for core in range(CORES)]
        try:
            said = [process.communicate(timeout=90 * SCALE)[0] for process in running]
        finally:
            for process in running:
                process.kill()
        for core, text in enumerate(said):
            assert "_start in section .text" in text, text
            assert "vm_exit in section .text" in text, text
            assert f"core {core} runs {core} g{core};" in text, text
            assert f"guest_main in section .text of {hello}" in text, text
            assert f"{core} g{core}: running on core {core}," in text, text
            assert "privileged, IR=0 DR=0" in text, text
            assert " 5 40000000 -> 00005000     4 KiB tid   0 zone  0 xw" in text, text
        for name in guests:
            board[name].expect("hello: done", 60)
        assert board.wait(60) == 0
