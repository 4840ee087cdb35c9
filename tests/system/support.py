# SPDX-License-Identifier: MIT
"""What system tests say often: what somebody printed at any time, how a domain ended, what the control console lists."""

from __future__ import annotations

import contextlib
import http.client
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.console import SCALE
from amalgam.board.monitor import command, rows
from amalgam.board.shell import await_shell, run_command
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.measure import budgets

LIST = (
    r"\s*\d+ (?P<name>\S+) +(?P<kind>\S+) +(?P<state>\S+) +(?P<vcpus>\d+) vCPUs +(?P<mib>\d+) MiB restarts (?P<restarts>\d+); (?P<end>.*)"
)

LATE = r"hrtimer: interrupt took|perf: interrupt took too long|sched: (?:RT throttling|DL replenish lagged)|Long readout interval|read-back delay"
"""What Linux says when its board was not run for a while: nothing that anybody could have done better."""

COPIES_AT = 0x18000000  # free on a board of 512 MiB: the kernel takes memory from the other end


def said(board: Board, name: str, pattern: str, timeout: float = 240) -> re.Match[str]:
    """What `name` (a domain, or kernel) said once, however long ago: tests that share a board need no order."""
    console = board[name]
    console.seek(0)
    return console.expect(pattern, timeout)


def says(board: Board, name: str, pattern: str, timeout: float = 240) -> re.Match[str]:
    """What `name` says from now on: for what it says again and again (else see after())."""
    console = board[name]
    console.seek(len(console.text))
    return console.expect(pattern, timeout)


def after(board: Board, line: str, name: str, pattern: str, timeout: float = 240) -> re.Match[str]:
    """Type `line` at the control console; what `name` says from then on, be it before the console has answered."""
    console = board[name]
    start = len(console.text)
    command(board, line)
    console.seek(start)
    return console.expect(pattern, timeout)


def listed(board: Board, name: str) -> dict[str, str]:
    """The row of a domain in `list`."""
    return next(row for row in rows(command(board, "list"), LIST) if row["name"] == name)


def settled(board: Board, name: str, timeout: float = 60) -> dict[str, str]:
    """The row of a domain that has ended, once its last thread is out, too."""
    deadline = time.monotonic() + timeout * SCALE
    while (row := listed(board, name))["state"] == "stopping" and time.monotonic() < deadline:
        time.sleep(0.05)
    return row


def ended(board: Board, name: str, timeout: float = 60) -> str:
    """Start `name` and wait for its end, with its last thread out: only then it has given back all it gives back. Returns the kernel's line
    about it without the name."""
    how = after(board, f"start {name}", "kernel", rf"domain {name}: (.*?)\r*\n", timeout)[1]
    assert settled(board, name)["state"] != "stopping"
    return how


def stop(board: Board, name: str) -> None:
    """Stop what may end by itself before the console has read the line: that there is nothing to stop is no error then."""
    try:
        command(board, f"stop {name}")
    except UserError as error:
        if not error.what.endswith("stop: -2"):
            raise
    assert settled(board, name)["state"] == "stopped"


def shell(board: Board, line: str, name: str = "linux", timeout: float = 240) -> str:
    """What the shell of the guest `name` answers to `line`, whose status must be 0."""
    text, status = run_command(board[name], line, timeout)
    assert status == 0, text
    return text.replace("\r", "")


def restart_linux(board: Board, timeout: float) -> None:
    """Stop and start the guest `linux` at the control console, until its shell answers."""
    command(board, "stop linux")
    assert settled(board, "linux")["end"] == "stopped: by the control console"
    after(board, "start linux", "linux", "init: Linux", timeout)
    await_shell(board["linux"], timeout)


def processes(*without: str) -> dict[str, Any]:
    """systems/processes.yaml without some of its domains, and the kernel for it."""
    build_kernel("process", lambda _text: None)
    made = yaml.safe_load((paths.SYSTEMS / "processes.yaml").read_text(encoding="utf-8"))
    made["domains"] = {name: domain for name, domain in made["domains"].items() if name not in without}
    made["channels"] = [channel for channel in made["channels"] if set(channel["between"]) <= set(made["domains"])]
    made["frames"] = made["frames"] if "rt" in made["domains"] else []
    return made


def with_faults(name: str, wrong: Iterable[str], lost: Iterable[str]) -> dict[str, Any]:
    """systems/NAME.yaml with a process for each thing that fault.c (`f-WHAT`) and maps.c (`m-WHAT`) do wrong, and one that loses a tunnel."""
    made = yaml.safe_load((paths.SYSTEMS / f"{name}.yaml").read_text(encoding="utf-8"))
    common = {"kind": "process", "program": "build:fault.elf", "memory": "64K", "cores": [1], "autostart": False}
    for what in wrong:
        made["domains"][f"f-{what}"] = common | {"arguments": ["fault", what]}
    for what in lost:
        made["domains"][f"m-{what}"] = made["domains"]["maps"] | {"arguments": ["maps", what], "autostart": False}
    process = {"kind": "process", "program": "build:tunnel.elf", "memory": "128K", "threads": 2, "cores": [1, 0]}
    made["domains"]["lost"] = process | {"arguments": ["tunnel", "lost"]}
    made["channels"].append({"name": "lost", "between": ["lost", "hello"], "size": "4K"})
    return made


def copies(image: Path, folder: Path, n: int, at: int = COPIES_AT) -> tuple[list[str], list[int]]:
    """`n` copies of an image in the board's memory, behind all that a system gets there: QEMU's arguments, and their addresses."""
    data = image.read_bytes()
    stride = (len(data) + 4095) // 4096 * 4096
    file = folder / "copies.img"
    file.write_bytes(b"".join(data.ljust(stride, b"\0") for _ in range(n)))
    return ["-device", f"loader,file={file},addr={at:#x},force-raw=on"], [at + i * stride for i in range(n)]


def free(board: Board) -> int:
    """KiB."""
    match = re.search(r"(\d+) KiB free", command(board, "mem"))
    assert match
    return int(match[1])


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens on; the host chooses it, so that two runs at once do not choose alike."""
    for _ in range(100):
        with contextlib.ExitStack() as tried:
            ports = [tried.enter_context(socket.socket()) for _ in range(count)]
            try:
                ports[0].bind(("127.0.0.1", 0))
                first = int(ports[0].getsockname()[1])
                for offset, port in enumerate(ports[1:], 1):
                    port.bind(("127.0.0.1", first + offset))
            except (OSError, OverflowError):
                continue
            return first
    raise AssertionError("no free ports")


@dataclass
class Ports:
    """So many of them, chosen by the first who asks: the words for a board that are a function are made when all is built and it is its turn, so that nobody else has time to take them."""

    count: int

    @cached_property
    def first(self) -> int:
        return free_ports(self.count)


def page(port: int, path: str = "") -> str:
    """What the host gets at a port of its own that leads to the board; it asks again while nobody answers."""
    end = time.monotonic() + 60 * SCALE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as answer:
                return str(answer.read().decode())
        except (OSError, http.client.HTTPException):
            if time.monotonic() > end:
                raise


def debugger(line: str, *commands: str) -> subprocess.Popen[str]:
    """A line that `run --gdb` shows, with commands after it; its gdb waits until the board listens, and leaves it running."""
    tool, *words = shlex.split(line)
    words = [tool, "-nx", "-batch", "-ex", f"set tcp connect-timeout {int(60 * SCALE)}", *words]
    for text in (*commands, "detach"):
        words += ["-ex", text]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, cwd=paths.ROOT)


def within_budget(bench: str, values: dict[str, float]) -> None:
    """Counted figures keep their budgets. Another compiler's counts without a column are no failure: they are reported as a skip."""
    over = budgets.exceeded(bench, values)
    counts = budgets.binding(bench, over)
    assert not counts, "; ".join(counts)
    if over:
        pytest.skip(f"{budgets.other_compiler(bench)}: {'; '.join(over)}")


def built_copy(tree: Path, shape: str) -> Path:
    """The kernel of a shape, built from a copy of the tree that a test has changed."""
    words = ["make", "-C", tree / "kernel", f"SHAPE={shape}", f"OUT={tree}/{shape}", f"PYTHON={sys.executable}", "-j2", "all"]
    subprocess.run(words, check=True, capture_output=True, text=True)
    return tree / shape / "amalgam.elf"
