# SPDX-License-Identifier: MIT
"""Other kernels of Linux in ring 1 of a Pentium: one that knows nothing of that, with a PC's old devices, and 6.12. Each is built first, for minutes."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.shell import await_shell
from support import shell

BOOT = 400


@pytest.mark.full
@pytest.mark.parametrize(
    ("vmlinux", "console", "devices", "version"),
    [
        ("vmlinux-native", "ttyS0", [{"type": "uart"}, {"type": "pc"}], r"6\.1\.\d+"),
        ("vmlinux-6.12", "hvc0", [], r"6\.12\.\d+"),
    ],
    ids=["native", "6.12"],
)
def test_it_comes_to_a_shell_with_a_disk(boot: Any, tmp_path: Path, vmlinux: str, console: str, devices: list[Any], version: str) -> None:
    disk = tmp_path / "disk.img"
    disk.write_bytes(bytes(256 * 1024))
    linux = {
        **{"kernel": f"linux586:{vmlinux}", "initrd": "linux586:initrd", "memory": "16M", "cmdline": f"console={console} quiet"},
        **{"focus": True, "devices": [*devices, {"type": "block", "image": str(disk)}]},
    }
    with boot({"system": "kernels", "board": "i586-linux", "domains": {"linux": linux}}) as board:
        await_shell(board["linux"], BOOT)
        assert re.fullmatch(rf"Linux {version} i586\n", shell(board, "uname -srm", timeout=BOOT))
        numbers = "".join(f"{n}\n" for n in range(1, 2001))
        assert hashlib.md5(numbers.encode(), usedforsecurity=False).hexdigest() in shell(board, "seq 1 2000 | md5sum", timeout=BOOT)
        assert "kept" in shell(
            board,
            "mkfs.minix /dev/vda && mount -t minix /dev/vda /mnt && echo kept > /mnt/file && umount /mnt && grep -a kept /dev/vda",
            timeout=BOOT,
        )
        assert "status 139" in shell(board, "sh -c 'kill -SEGV $$'; echo status $?", timeout=BOOT)
