# SPDX-License-Identifier: MIT
"""Linux 6.1 in ring 1 of a Pentium: it comes to a shell and runs programs, has a disk and a network, is stopped and started again as
any guest, and a native task and a process beside it have the same results."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell
from support import ended, restart_linux, shell

BOOT = 240
MOUNT = "mount -t minix /dev/vda /mnt"


@pytest.fixture(scope="module")
def board(boot_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    disk = tmp_path_factory.mktemp("disk") / "empty.img"
    disk.write_bytes(bytes(256 * 1024))
    made = yaml.safe_load((paths.SYSTEMS / "i586-linux.yaml").read_text(encoding="utf-8"))
    made["domains"]["linux"]["power"] = "domain"
    linux = made["domains"]["linux"]
    made["domains"]["peer"] = linux | {
        **{"cores": [1], "focus": False, "cmdline": "console=hvc1 quiet"},
        "devices": [{"type": "console"}, {"type": "net"}],
    }
    linux["devices"] = [{"type": "block", "image": str(disk)}, {"type": "net"}]
    made["domains"]["hello"] = {"kind": "process", "program": "build:hello.elf", "arguments": ["hello"], "memory": "256K", "cores": [1]}
    with boot_module(made) as board:
        await_monitor(board)
        await_shell(board["linux"], BOOT)
        yield board


def test_a_shell_answers(board: Board) -> None:
    assert re.fullmatch(r"Linux 6\.1\.\d+ i586\n", shell(board, "uname -srm"))


def test_processes_pipes_and_arithmetic_are_right(board: Board) -> None:
    numbers = sorted(str(n).replace("7", "x") + "\n" for n in range(1, 2001))
    expected = hashlib.md5("".join(numbers).encode(), usedforsecurity=False).hexdigest()
    assert expected in shell(board, "seq 1 2000 | sed s/7/x/g | LC_ALL=C sort | md5sum")
    assert "sum 1275" in shell(board, "i=0; for n in $(seq 1 50); do i=$((i + $(echo $n))); done; echo sum $i")


def test_a_program_that_does_wrong_gets_its_signal(board: Board) -> None:
    assert "status 139" in shell(board, "sh -c 'kill -SEGV $$'; echo status $?")


def test_its_clock_goes_with_the_boards(board: Board) -> None:
    before, after_ = shell(board, "cut -d. -f1 /proc/uptime; sleep 2; cut -d. -f1 /proc/uptime").split()
    assert 2 <= int(after_) - int(before) <= 30


def test_task_and_process_beside_it_are_right(board: Board) -> None:
    start = len(board["jacobi"].text)
    assert ended(board, "jacobi", 120) == "done"
    assert re.search(r"bench jacobi error-e9-0 0\r*\n", board["jacobi"].text[start:])
    assert ended(board, "hello", 60) == "done: exit status 0"


def test_a_virtio_console_is_a_terminal(board: Board) -> None:
    await_shell(board["peer"], BOOT)
    assert "hvc1" in shell(board, "cat /sys/class/tty/console/active", "peer")


def test_guests_reach_each_other_by_the_switch(board: Board) -> None:
    await_shell(board["peer"], BOOT)
    shell(board, "ifconfig eth0 10.0.0.1")
    shell(board, "ifconfig eth0 10.0.0.2; seq 1 40000 > /tmp/page; httpd -h /tmp", "peer")
    assert "3 packets received" in shell(board, "ping -c 3 10.0.0.2")
    expected = hashlib.md5("".join(f"{n}\n" for n in range(1, 40001)).encode(), usedforsecurity=False).hexdigest()
    assert expected in shell(board, "wget -q -O - http://10.0.0.2/page | md5sum")
    assert " 0 frames lost" in command(board, "stats linux")


def test_a_file_on_its_disk_survives_its_restart(board: Board) -> None:
    shell(board, f"mkfs.minix /dev/vda && {MOUNT} && seq 1 20000 > /mnt/kept && umount /mnt")
    restart_linux(board, BOOT)
    expected = hashlib.md5("".join(f"{n}\n" for n in range(1, 20001)).encode(), usedforsecurity=False).hexdigest()
    assert expected in shell(board, f"{MOUNT} && md5sum /mnt/kept && umount /mnt")


def test_it_is_stopped_and_starts_again_from_nothing(board: Board) -> None:
    shell(board, "echo here > /tmp/mark")
    restart_linux(board, BOOT)
    assert "gone" in shell(board, "test -e /tmp/mark || echo gone")


def test_it_powers_off_and_resets(board: Board) -> None:
    """After the others: its end is the domain's, and a reset is a restart."""
    console = board["linux"]
    console.send("reboot -f\n")
    console.expect("init: Linux", BOOT)
    await_shell(board["linux"], BOOT)
    console.send("poweroff -f\n")
    board.kernel.expect("domain linux: power-off: the guest powered off", BOOT)
