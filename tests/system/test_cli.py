# SPDX-License-Identifier: MIT
"""The commands that run a board, as a user or a script types them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.console import SCALE
from command_line import ROOT, amalgam

pytestmark = pytest.mark.usefixtures("one_board")


@pytest.fixture(autouse=True)
def up_to_date(kernel: Path) -> None:
    """Building is no part of these tests."""


def test_exec_prints_what_commands_printed_and_ends_with_the_status_of_the_first_failure() -> None:
    done = amalgam("run", "debian", "--exec", "linux:uname -s", "--exec", "linux:echo two; exit 7", "--exec", "linux:echo three")
    assert (done.stdout, done.returncode) == ("Linux\ntwo\n", 7), done.stderr


def test_run_guest_hosts_a_kernel_without_a_system_file(tmp_path: Path) -> None:
    from amalgam import artifacts

    kernel, initrd = artifacts.debian("vmlinuz", lambda _t: None), artifacts.debian("initrd", lambda _t: None)
    done = amalgam(
        "run",
        "guest",
        "--kernel",
        str(kernel),
        "--initrd",
        str(initrd),
        "--append",
        "console=ttyS0 quiet",
        "--cpus",
        "2",
        "--memory",
        "384M",
        "--exec",
        "guest:grep -c ^processor /proc/cpuinfo",
    )
    assert (done.stdout, done.returncode) == ("2\n", 0), done.stderr


def test_interactive_run_leaves_by_ctrl_a_x_and_leaves_nothing_behind() -> None:
    import pty
    import select
    import time

    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execv("./amalgam", ["amalgam", "run", "debian"])
    said, deadline, typed = b"", time.monotonic() + 240 * SCALE, False
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:
                break
        if not typed and b"Amalgam" in said:
            os.write(terminal, b"\x01x")
            typed = True
    if time.monotonic() >= deadline:
        os.kill(pid, signal.SIGTERM)
    _, status = os.waitpid(pid, 0)
    assert typed, said[-2000:]
    assert os.waitstatus_to_exitcode(status) == 0
    assert not [p for p in processes() if str(ROOT / "build" / "systems" / "debian.img") in p]


def processes() -> list[str]:
    """Command lines of all processes."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue  # it has just ended
    return lines


def test_monitor_commands_as_json() -> None:
    done = amalgam("monitor", "debian", "--command", "list", "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert "linux" in answer["list"]
    assert "rt" in answer["list"]


def test_trace_writes_a_timeline(tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    done = amalgam("trace", "debian", "--seconds", "1", "-o", str(target), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["events"]["switch"] > 0
    events = json.loads(target.read_text())["traceEvents"]
    assert {"X", "M"} <= {event["ph"] for event in events}
