# SPDX-License-Identifier: MIT
"""Two guests in ring 1 with windows on one core."""

from __future__ import annotations

import hashlib
from typing import Any

from amalgam.board.monitor import await_monitor
from amalgam.board.shell import await_shell
from support import ended, shell

BOOT = 240
LINUX = {
    **{"kernel": "linux586:vmlinux", "initrd": "linux586:initrd", "memory": "16M", "cmdline": "console=hvc0 quiet", "cores": [0]},
    **{"devices": [{"type": "net"}]},
}


def test_two_guests_with_windows_on_one_core_compute_and_talk(boot: Any) -> None:
    """Each answers while the other one computes without a pause; the process beside them has the rest of the frame."""
    windows = [{"domain": "linux", "start": 0, "length": "9ms"}, {"domain": "other", "start": "9ms", "length": "9ms"}]
    hello = {"kind": "process", "program": "build:hello.elf", "memory": "256K", "autostart": False}
    system = {
        **{"system": "two", "board": "i586-linux", "cores": 1, "frames": [{"core": 0, "length": "20ms", "windows": windows}]},
        "domains": {"linux": LINUX | {"focus": True}, "other": LINUX, "hello": hello},
    }
    numbers = "".join(f"{n}\n" for n in range(1, 5001)).encode()
    with boot(system) as board:
        await_monitor(board)
        for name, address in (("linux", "10.0.0.1"), ("other", "10.0.0.2")):
            await_shell(board[name], BOOT)
            shell(board, f"ifconfig eth0 {address}", name)
        for name, peer in (("linux", "10.0.0.2"), ("other", "10.0.0.1")):
            shell(board, "while :; do :; done &", name)
            assert "3 packets received" in shell(board, f"ping -c 3 {peer}", name)
            assert hashlib.md5(numbers, usedforsecurity=False).hexdigest() in shell(board, "seq 1 5000 | md5sum", name)
        assert ended(board, "hello", 60) == "done: exit status 0"
