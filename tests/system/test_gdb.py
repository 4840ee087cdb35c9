# SPDX-License-Identifier: MIT
"""gdb on the running kernel, with the script of tools/gdb."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor, command, rows
from support import Ports, said

ROOT = Path(__file__).resolve().parents[2]
SYSTEM: dict[str, Any] = {
    "system": "gdb",
    "board": "q35",
    "cores": 2,
    "memory": "256M",
    "domains": {"a": {"boot": "pvh", "kernel": "build:hello.elf", "memory": "16M", "autostart": False}},
}


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed: ./amalgam setup")
def test_gdb_shows_cores_threads_and_domains(boot: Any) -> None:
    ports = Ports(1)
    with boot(SYSTEM, extra=lambda: ["-gdb", f"tcp:127.0.0.1:{ports.first}"]) as board:
        await_monitor(board)
        words = [
            "gdb",
            "-batch",
            "-nx",
            "-x",
            ROOT / "tools/gdb/amalgam.py",
            paths.kernel_elf(),
            "-ex",
            f"target remote 127.0.0.1:{ports.first}",
        ]
        for command in ("cpus", "threads", "domains", "backtrace monitor"):
            words += ["-ex", f"amalgam {command}"]
        for name in ("image_start", "init_start"):
            words += ["-ex", f'printf "{name} %016lx\\n", &{name}']
        words += ["-ex", "monitor info tlb"]
        for _ in range(5):
            done = subprocess.run([*words, "-ex", "detach"], capture_output=True, text=True, timeout=120 * SCALE, check=False)
            if "sem_wait" in done.stdout:
                break  # else its core was stopped before the monitor, which has just answered, waited again
    assert "cpu 1 online" in done.stdout, done.stdout + done.stderr
    assert "monitor" in done.stdout
    assert " 0 a " in done.stdout
    assert "sem_wait" in done.stdout
    rights = {}  # of the page at each: X may not be executed, W may be written
    for name in ("image_start", "init_start"):
        address = re.search(rf"^{name} ([0-9a-f]+)$", done.stdout, re.M)
        assert address, done.stdout + done.stderr
        page = re.search(rf"^{address[1][:-3]}000: \S+ (\S+)", done.stderr, re.M)
        assert page, done.stdout + done.stderr
        rights[name] = page[1][0] + page[1][-1]
    assert rights == {"image_start": "--", "init_start": "XW"}, "what ran at boot only is memory like any other"


def line_of(source: str, text: str) -> str:
    """FILE:LINE of a statement."""
    lines = (ROOT / source).read_text(encoding="utf-8").splitlines()
    return f"{Path(source).name}:{next(n for n, line in enumerate(lines, 1) if text in line)}"


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed: ./amalgam setup")
def test_a_core_that_wakes_up_too_late_stays_out(boot: Any) -> None:
    """gdb holds core 1 while core 0 waits for it, and shortens that: time is not to pass in the kernel's eyes."""
    ports = Ports(1)
    with boot(SYSTEM | {"system": "late", "cores": 1}, cores=2, extra=lambda: ["-gdb", f"tcp:127.0.0.1:{ports.first}", "-S"]) as board:
        words = ["gdb", "-batch", "-nx", paths.kernel_elf(), "-ex", f"target remote 127.0.0.1:{ports.first}"]
        words += ["-ex", f"hbreak {line_of('kernel/arch/x86/boot/smp.c', 'ap_cr3 = paging_root()')}", "-ex", "continue", "-ex", "delete"]
        words += ["-ex", "set scheduler-locking on"]
        words += ["-ex", "set $hz = time_hz", "-ex", "set var time_hz = 1", "-ex", "hbreak start_first", "-ex", "continue"]
        words += ["-ex", "set var time_hz = $hz", "-ex", "delete", "-ex", "set scheduler-locking off", "-ex", "detach"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120 * SCALE, check=False)
        said(board, "kernel", "smp: the core with APIC id 1 does not answer: left out")
        await_monitor(board)
        assert [row["cpu"] for row in rows(command(board, "cpus"), r"cpu (?P<cpu>\d+) online")] == ["0"], done.stdout + done.stderr
        time.sleep(2)  # it has come by now
        command(board, "list")
        assert "PANIC" not in board.kernel.text


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="gdb-multiarch is not installed: ./amalgam setup")
@pytest.mark.parametrize("where", ["start", "hart_entry"])
def test_a_hart_that_the_firmware_lets_go_too_early_is_still_the_one_that_was_started(boot: Any, where: str) -> None:
    """As OpenSBI 1.1 does now and then (docs/riscv.md): without the argument of hart_start, and where the first hart began. gdb does it each time."""
    ports = Ports(1)
    with boot("virt", icount=True, extra=lambda: ["-gdb", f"tcp:127.0.0.1:{ports.first}", "-S"]) as board:
        words = ["gdb-multiarch", "-batch", "-nx", paths.kernel_elf("virt"), "-ex", f"target remote 127.0.0.1:{ports.first}"]
        words += ["-ex", "set $load = 0x80200000 - (unsigned long)&image_start"]
        for _ in range(2):
            words += ["-ex", "tbreak *((unsigned long)&hart_entry + $load)", "-ex", "continue", "-ex", "set $a1 = 0"]
            words += ["-ex", f"set $pc = (unsigned long)&{where} + $load"]
        done = subprocess.run([*words, "-ex", "detach"], capture_output=True, text=True, timeout=120 * SCALE, check=False)
        assert len(re.findall("hit Temporary breakpoint", done.stdout)) == 2, done.stdout + done.stderr
        said(board, "kernel", "Amalgam, 3 cores", 20)
        assert board.kernel.text.count("time: 10000 kHz") == 1
