# SPDX-License-Identifier: MIT
"""The Board class against a fake board that speaks the tagged protocol: nothing lost, mixed, or left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from amalgam.board.board import Board
from amalgam.board.console import SCALE, Console, ConsoleError
from amalgam.board.line import Line
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import await_shell, run_command
from amalgam.board.tagged import Splitter, framed

FAKE = Path(__file__).with_name("fake_board.py")


def launch(line: Path, _log: Path) -> list[str]:
    return [sys.executable, str(FAKE), str(line)]


@pytest.fixture
def board() -> Iterator[Board]:
    with Board(launch, ["linux", "rt"]) as running:
        yield running


def test_each_speaker_has_a_console_of_its_own(board: Board) -> None:
    board.kernel.expect("fake board", 20)
    board["rt"].expect("jitter", 20)
    board["rt"].expect("tick", 20)
    assert "tick" not in board["linux"].text


def test_a_command_gives_exactly_its_output_and_status(board: Board) -> None:
    await_shell(board["linux"], 30)
    assert run_command(board["linux"], "echo one; echo two", 20) == ("one\ntwo\n", 0)
    assert run_command(board["linux"], "printf no-newline; exit 3", 20) == ("no-newline", 3)
    assert run_command(board["linux"], "true", 20) == ("", 0)
    assert run_command(board["linux"], "echo \"a'b\" '$x'", 20) == ("a'b $x\n", 0)


def test_a_prompt_counts_though_the_kernel_wrote_behind_it() -> None:
    def shell(data: bytes) -> None:
        console.receive(data.replace(b"''", b"")[len("echo ") :])

    console = Console("linux", shell, lambda: "")
    console.receive(b"/ # [    3.141592] random: crng init done\r\n")
    await_shell(console, 1)


def test_a_late_answer_is_not_taken_for_that_of_the_next_command() -> None:
    """The control console has no time for 0.6 s, then for a line every 0.1 s; the first question is given up after 0.4 s."""
    begin, lines = time.monotonic(), list[str]()

    def monitor(data: bytes) -> None:
        line = data.decode().strip()
        answer = {"help": "help\nok\n", "list": "0 linux\nok\n"}.get(line, f'error: no command "{line}"; `help` lists them\n')
        wait = begin + 0.6 + 0.1 * len(lines) - time.monotonic()
        lines.append(line)
        threading.Timer(max(0.0, wait), kernel.receive, [answer.encode()]).start()

    kernel = Console("kernel", monitor, lambda: "")
    kernel.receive(b"Amalgam\n")
    board: Any = SimpleNamespace(kernel=kernel)
    await_monitor(board, 4 / SCALE)
    assert command(board, "list", 5) == "0 linux\n"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"n=(\d+)", "1234"),
        (r"n=((?:\d)+)", "1234"),
        (r"n=(.*)", "1234 \\+"),
        (r"n=(\d+) ", "1234"),
        (r"n=(\d\d)", "12"),
        (r"n=.*(\\\+)", "\\+"),
    ],
)
def test_a_number_is_not_taken_before_its_last_digit_has_come(pattern: str, found: str) -> None:
    console = Console("rt", lambda _data: None, lambda: "")
    console.receive(b"n=12")
    threading.Timer(0.2, console.receive, [b"34 \\+\n"]).start()
    begin = time.monotonic()
    assert console.expect(pattern, 20)[1] == found
    assert time.monotonic() - begin < 10  # and no longer than that is waited


@pytest.mark.parametrize(("alive", "timeout"), [("", 0.3), ("it has ended", 20)])
def test_what_does_not_come_is_not_waited_for(alive: str, timeout: float) -> None:
    console = Console("rt", lambda _data: None, lambda: alive)
    console.receive(b"n=12")
    assert console.expect(r"n=(\d+)", timeout)[1] == "12"


def test_a_line_keeps_what_a_busy_reader_comes_late_for(tmp_path: Path) -> None:
    """A UART writes bytes one by one, and has nowhere to put those that are not taken."""
    line, said = Line(tmp_path, "line"), bytes(range(256)) * 2000
    process = EndsWithWords(line, b"")
    for byte in said:
        os.write(process.end, bytes([byte]))  # would raise BlockingIOError
    assert b"".join(line.pieces(cast("Any", process))) == said
    os.close(process.end)
    line.close()


class EndsWithWords:
    """A process on a busy host: it says its last words and ends just after the reader has found nothing for a while."""

    def __init__(self, line: Line, words: bytes):
        self.end, self.words = os.open(f"{line.path}.out", os.O_WRONLY | os.O_NONBLOCK), words
        self.asked = 0

    def poll(self) -> int | None:
        self.asked += 1
        if self.asked == 2:
            os.write(self.end, self.words)
        return 0 if self.asked >= 2 else None


def test_the_last_words_of_a_process_that_ends_while_nobody_looks_are_heard(tmp_path: Path) -> None:
    line = Line(tmp_path, "line")
    process = EndsWithWords(line, b"done\n")
    assert b"".join(line.pieces(cast("Any", process))) == b"done\n"
    os.close(process.end)
    line.close()


def test_expect_says_what_came_last_when_nothing_matches(board: Board) -> None:
    board.kernel.expect("fake board", 20)
    with pytest.raises(ConsoleError, match="fake board"):
        board.kernel.expect("never said", 0.5)


class Clock:
    """Time for a console that goes by waiting only, so that no busy host is late for anything: what is said then, and then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now, self.due, self.patch = 0.0, list[tuple[float, bytes]](), monkeypatch
        monkeypatch.setattr("amalgam.board.console.time", SimpleNamespace(monotonic=lambda: self.now))

    def console(self, says: Iterable[tuple[float, str]]) -> Console:
        self.due = [(at * SCALE, word.encode()) for at, word in says]
        console = Console("late", lambda _data: None, lambda: "")

        def wait(timeout: float) -> None:
            until = self.now + timeout
            if self.due and self.due[0][0] <= until:
                until, word = self.due.pop(0)
                self.now = until
                console.receive(word)
            self.now = until

        self.patch.setattr(console._news, "wait", wait)
        return console


@pytest.mark.parametrize(("taken", "comes"), [(0.0, False), (100.0, True)])
def test_time_that_others_took_from_the_board_does_not_count(monkeypatch: pytest.MonkeyPatch, taken: float, comes: bool) -> None:
    """Up to as long again: the text comes at 1.5 times the time-out, on a busy host only."""
    withheld = iter([0.0])
    monkeypatch.setattr("amalgam.board.console.withheld", lambda: next(withheld, taken))
    clock = Clock(monkeypatch)
    console = clock.console([(0.9, "there\n")])
    if comes:
        assert console.expect("there", 0.6)
        with pytest.raises(ConsoleError, match="nothing matched"):
            console.expect("never", 0.3)
    else:
        with pytest.raises(ConsoleError, match="nothing matched"):
            console.expect("there", 0.6)
        assert clock.now == pytest.approx(0.6 * SCALE)


@pytest.mark.parametrize(
    ("long", "words", "comes", "ends"),
    [
        (0.5, ["one\n"] * 6 + ["there\n"], True, 1.4),
        (0.5, ["one\n"] * 20, False, 2.0),  # for ever
        (0.5, [""] * 6 + ["there\n"], False, 1.0),  # it is silent until then
        (5.0, ["one\n"] * 6 + ["there\n"], False, 1.0),  # a short wait
    ],
)
def test_a_long_wait_goes_on_while_the_console_says_something(
    monkeypatch: pytest.MonkeyPatch, long: float, words: list[str], comes: bool, ends: float
) -> None:
    """Up to as long again: a board on a busy host is late, and not dead. It says a word each 0.2 s, the wait is for 1 s."""
    monkeypatch.setattr("amalgam.board.console.withheld", lambda: 0.0)
    monkeypatch.setattr("amalgam.board.console.LONG", long)
    clock = Clock(monkeypatch)
    console = clock.console((0.2 * (i + 1), word) for i, word in enumerate(words))
    if comes:
        assert console.expect("there", 1)
    else:
        with pytest.raises(ConsoleError, match="nothing matched"):
            console.expect("there", 1)
    assert clock.now == pytest.approx(ends * SCALE)


def test_what_is_withheld_is_counted_by_the_threads_of_all_descendants() -> None:
    from amalgam import descendants

    before = descendants.withheld()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1) + 1)]
    try:
        time.sleep(1)
        assert {process.pid for process in busy} <= {pid for pid, _began in descendants.descendants()}
        assert descendants.withheld() > before
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_expect_ends_at_once_when_the_board_ends(board: Board) -> None:
    board.kernel.expect("fake board", 20)
    board.kernel.send("off\n")
    begin = time.monotonic()
    with pytest.raises(ConsoleError, match="board has ended"):
        board["linux"].expect("never said", 100)
    assert time.monotonic() - begin < 50
    assert board.wait(20) == 0


def test_a_board_that_cannot_start_says_why() -> None:
    with (
        Board(lambda _line, _log: [sys.executable, "-c", "import sys; sys.exit('no such machine')"], ["linux"]) as board,
        pytest.raises(ConsoleError, match="no such machine"),
    ):
        board["linux"].expect("x", 30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_no_board_survives_its_owner(number: int, tmp_path: Path) -> None:
    owner = tmp_path / "owner.py"
    owner.write_text(
        textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from amalgam.board.board import Board
        fake = lambda line, log: [sys.executable, "-c", "import time; time.sleep(600)"]
        with Board(fake, ["linux"]) as board:
            print(board._process.pid, flush=True)
            time.sleep(600)
    """)
    )
    env = os.environ | {"PYTHONPATH": str(FAKE.parents[2] / "tools")}
    with subprocess.Popen([sys.executable, str(owner)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        process.send_signal(number)
        try:
            process.wait(30)
        finally:
            process.kill()
    deadline = time.monotonic() + 20
    while alive(pid):
        assert time.monotonic() < deadline, "the board still runs"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_the_tagged_channel_can_be_cut_anywhere(size: int) -> None:
    line = framed(0, b"ab\xffc") + framed(1, b"") + framed(254, b"\xff\xff") + framed(0, b"d")
    splitter, heard = Splitter(), dict[int, bytes]()
    for at in range(0, len(line), size):
        for source, run in splitter.feed(line[at : at + size]):
            heard[source] = heard.get(source, b"") + run
    assert heard == {0: b"ab\xffcd", 254: b"\xff\xff"}


def test_who_listens_late_hears_everything_once() -> None:
    """A screen comes when the first emulators of a fleet have already spoken."""
    console = Console("x", lambda _data: None, lambda: "")
    first: list[str] = []
    console.receive(b"before\n")
    console.listen(first.append)
    console.receive(b"after\n")
    assert "".join(first) == "before\nafter\n"
