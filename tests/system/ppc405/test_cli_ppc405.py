# SPDX-License-Identifier: MIT
"""The commands that run a ppc405 board, as a user or a script types them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.console import SCALE

ROOT = Path(__file__).resolve().parents[3]
HELLO = ROOT / "build/guests/ppc405/hello.elf"
pytestmark = pytest.mark.usefixtures("one_board")


def amalgam(*words: str, timeout: float = 600 * SCALE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "amalgam", *words], capture_output=True, text=True, timeout=timeout, check=False, cwd=ROOT, stdin=subprocess.DEVNULL
    )


@pytest.fixture(autouse=True)
def up_to_date(systems: Any) -> None:
    """Building is no part of these tests."""
    systems.get("ppc405")


def children_of(pid: int) -> list[int]:
    """Processes that a process has started, and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children_of(child)]
    return found


def boards_of(pid: int) -> list[int]:
    return [child for child in children_of(pid) if "qemu-system-ppc" in command_line(child)]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""  # it has just ended


def test_exec_prints_what_the_command_printed_and_ends_with_its_status() -> None:
    done = amalgam("run", "ppc405", "--exec", "linux:uname -m", "--exec", "linux2:echo two; exit 7")
    assert (done.stdout, done.returncode) == ("ppc\ntwo\n", 7), done.stderr


def test_run_guest_hosts_a_program_without_a_system_file() -> None:
    done = amalgam("run", "guest", "--board", "ref405ep", "--kernel", str(HELLO), "--memory", "1M", "--append", "us=1000")
    assert done.returncode == 0, done.stderr
    assert "hello: PVR 51210950" in done.stdout
    assert "hello: done" in done.stdout


def test_a_guest_that_dies_is_status_3(tmp_path: Path) -> None:
    """A jump to where nothing is; its file stands for what somebody brought."""
    image = tmp_path / "jump.bin"
    image.write_bytes(bytes.fromhex("3c6070007c6903a64e800420"))  # lis r3,0x7000; mtctr r3; bctr
    done = amalgam("run", "guest", "--board", "ref405ep", "--kernel", str(image), "--memory", "1M")
    assert done.returncode == 3, done.stderr
    assert "amalgam: error: 'guest' died (fault: code " in done.stderr


def test_check_and_build_know_the_shape() -> None:
    assert json.loads(amalgam("check", "ppc405", "--json").stdout)["ok"] is True
    assert amalgam("build", "ppc405").stdout.strip() == "build/ppc405/amalgam.elf"
    size = json.loads(amalgam("size", "--shape", "ppc405", "--json").stdout)
    assert size["total"]["code"] == sum(part["code"] for part in size["components"].values())


def test_a_command_of_the_other_shape_says_so() -> None:
    done = amalgam("monitor", "ppc405", "--command", "list")
    assert done.returncode == 2
    assert "'monitor' goes with systems of the boards " in done.stderr


class Terminal:
    """`./amalgam run ppc405` at a terminal of its own."""

    def __init__(self) -> None:
        self.pid, self.terminal = pty.fork()
        self.said = b""
        self.at = 0  # where the next match may begin: one read may bring all that a test waits for
        if self.pid == 0:
            os.chdir(ROOT)
            os.execv("./amalgam", ["amalgam", "run", "ppc405"])

    def expect(self, text: bytes, timeout: float = 240) -> None:
        deadline = time.monotonic() + timeout * SCALE
        while (found := self.said.find(text, self.at)) < 0:
            assert time.monotonic() < deadline, self.said[-2000:]
            if select.select([self.terminal], [], [], 1)[0]:
                self.said += os.read(self.terminal, 4096)
        self.at = found + len(text)

    def type(self, keys: bytes) -> None:
        os.write(self.terminal, keys)

    def ask(self, line: bytes, answer: bytes) -> None:
        """Type a command until its answer comes: what a shell is given before it is ready may be lost."""
        for patience in (15, 30, 60):
            self.type(line + b"\r")
            with contextlib.suppress(AssertionError):
                self.expect(answer, patience)
                return
        self.type(line + b"\r")
        self.expect(answer)

    def drain(self) -> None:
        """Read to the end, so that it is not held up by what it still says."""
        while select.select([self.terminal], [], [], 5)[0]:
            try:
                if not os.read(self.terminal, 4096):
                    return
            except OSError:
                return


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 60 * SCALE
    while any(command_line(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_one_screen_shows_all_guests_a_key_moves_the_keyboard_and_ctrl_a_x_leaves_nothing() -> None:
    screen = Terminal()
    screen.expect(b"[rt]")
    screen.at = 0  # who speaks first is not said
    screen.expect(b"[linux2] init: Linux")
    screen.at = 0
    screen.expect(b"\ninit: Linux")
    screen.expect(b"# ")
    screen.ask(b"echo one-$((40 + 2))", b"\none-42")
    screen.type(b"\x1d2")
    screen.expect(b"the keyboard belongs to linux2")
    screen.ask(b"echo two-$((40 + 2))", b"\ntwo-42")
    boards = boards_of(screen.pid)
    assert len(boards) == 2
    screen.type(b"\x01x")
    screen.drain()
    assert os.waitstatus_to_exitcode(os.waitpid(screen.pid, 0)[1]) == 0
    assert gone(boards)


def test_no_core_survives_its_owner_being_killed() -> None:
    screen = Terminal()
    screen.expect(b"[rt]")
    boards = boards_of(screen.pid)
    assert len(boards) == 2
    os.kill(screen.pid, signal.SIGKILL)
    os.waitpid(screen.pid, 0)
    assert gone(boards)
