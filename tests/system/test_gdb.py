# SPDX-License-Identifier: MIT
"""gdb on the running kernel, with the script of tools/gdb."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed: ./amalgam setup")
def test_gdb_shows_cores_threads_and_domains(boot: Any) -> None:
    tiny = {
        "system": "gdb",
        "board": "q35",
        "cores": 2,
        "memory": "256M",
        "domains": {"a": {"boot": "pvh", "kernel": "build:hello.elf", "memory": "16M", "autostart": False}},
    }
    port = free_port()
    with boot(tiny, extra=["-gdb", f"tcp:127.0.0.1:{port}"]) as board:
        await_monitor(board)
        words = ["gdb", "-batch", "-nx", "-x", ROOT / "tools/gdb/amalgam.py", paths.kernel_elf(), "-ex", f"target remote 127.0.0.1:{port}"]
        for command in ("cpus", "threads", "domains", "backtrace monitor"):
            words += ["-ex", f"amalgam {command}"]
        for name in ("image_start", "init_start"):
            words += ["-ex", f"x/1xb &{name}"]
        done = subprocess.run([*words, "-ex", "detach"], capture_output=True, text=True, timeout=120 * SCALE, check=False)
    assert "cpu 1 online" in done.stdout, done.stdout + done.stderr
    assert "monitor" in done.stdout
    assert " 0 a " in done.stdout
    assert "sem_wait" in done.stdout
    assert re.search(r"<.*>:\s+0x", done.stdout), "the text that stays can be read"
    assert re.search(r"Cannot access memory at address 0xffffffff8", done.stderr), (
        f"what ran at boot only is gone: {done.stdout}{done.stderr}"
    )
