# SPDX-License-Identifier: MIT
"""The shell of systems/shell.yaml: lines are typed at its console, and answered; docs/shell.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.monitor import await_monitor, command
from amalgam.board.shell import run_command
from support import free, listed


@pytest.fixture(scope="module")
def board(boot_module: Any) -> Iterator[Board]:
    made = yaml.safe_load((paths.SYSTEMS / "shell.yaml").read_text(encoding="utf-8"))
    made["domains"]["shell"] |= {"power": "domain", "restart": ["fault"]}
    with boot_module(made) as board:
        await_monitor(board)
        board["shell"].seek(0)
        board["shell"].expect(r"\$ ")
        yield board


def typed(board: Board, line: str, timeout: float = 60) -> list[str]:
    """The lines that come between the typed one and the next prompt."""
    console = board["shell"]
    start = len(console.text)
    console.send(line + "\n")
    console.seek(start)
    console.expect(r"\n(?:.*\n)*\$ $", timeout)
    return console.text[start:].replace("\r", "").split("\n")[1:-1]


def test_words_are_quoted_and_replaced(board: Board) -> None:
    assert typed(board, 'echo one  \'two  three\' "fo\\"ur" fi\\ ve # six') == ['one two  three fo"ur fi ve']
    assert typed(board, "export NAME='a  b'; echo $NAME \"$NAME\" '$NAME' ${NAME}c") == ["a  b a  b $NAME a  bc"]
    assert typed(board, "echo 'open") == ["sh: a quote is not closed"]


def test_status_is_that_of_the_last_command(board: Board) -> None:
    assert typed(board, "grep nothing /etc/motd; echo $?") == ["1"]
    assert typed(board, "nowhere; echo $?") == ["sh: nowhere: No such file or directory", "127"]
    assert typed(board, "/etc/motd; echo $?") == ["sh: /etc/motd: Permission denied", "126"]
    assert typed(board, "grep help /etc/motd && echo yes || echo no") == [
        "help lists what the shell does, ls /bin what there is besides.",
        "yes",
    ]
    assert typed(board, "cat /none 2> /dev/null || echo no")[-1] == "no"


def test_pipes_and_redirections(board: Board) -> None:
    assert typed(board, "echo one > /tmp/a; echo two >> /tmp/a; cat < /tmp/a | cat | wc") == ["2 2 8"]
    assert typed(board, "ls /bin | grep -v s | head -2 > /tmp/names; cat /tmp/names") == ["cat", "cp"]
    assert typed(board, "cat /none > /tmp/error 2>&1; cat /tmp/error") == ["cat: /none: No such file or directory"]
    assert typed(
        board,
        "cat /bin/cat /bin/ls /bin/wc | cat | cat | cat | wc > /tmp/big; cat /bin/cat /bin/ls /bin/wc > /tmp/all; wc < /tmp/all > /tmp/same; cat /tmp/big /tmp/same | head -2 | grep -v nothing | wc",
    )[0].startswith("2 6 ")


def test_files_are_moved_copied_and_removed_where_one_is(board: Board) -> None:
    assert typed(board, "mkdir /tmp/d && cd /tmp/d && pwd && echo text > f && cp f g && mv g h && ls && cat h") == [
        "/tmp/d",
        "f",
        "h",
        "text",
    ]
    assert typed(board, "ls -l f /tmp/d/h . | grep -v drw") == ["-        5 f", "-        5 /tmp/d/h", "-        5 f", "-        5 h"]
    assert typed(board, "cp f f; cp h .; cp f /tmp/d/./f; cat f h") == [
        *(f"cp: {name}: it is the file itself" for name in ("f", "./h", "/tmp/d/./f")),
        "text",
        "text",
    ]
    assert typed(board, "cd .. && pwd; rm d/f d/h && rmdir d; ls d; cd / && pwd") == ["/tmp", "ls: d: No such file or directory", "/"]


def test_a_shell_in_the_shell_runs_a_line_or_a_file(board: Board) -> None:
    assert typed(board, "sh -c 'echo one; exit 3; echo two'; echo $?") == ["one", "3"]
    assert typed(board, "echo 'echo a; sh -c \"exit 4\"' > /tmp/s; echo 'exit $?' >> /tmp/s; sh /tmp/s; echo $?") == ["a", "4"]
    assert typed(board, "echo sh /tmp/r > /tmp/r; sh /tmp/r; echo $?") == ["sh: shells in shells: too many", "2"]
    assert typed(board, "sh; sh /none") == ["sh: sh FILE, or sh -c LINE", "sh: sh: /none: No such file or directory"]
    assert run_command(board["shell"], 'ls /none || echo "it\'s" | cat; exit 5', 60) == ("ls: /none: No such file or directory\nit's\n", 5)


def test_what_is_typed_is_read_and_edited(board: Board) -> None:
    console = board["shell"]
    start = len(console.text)
    console.send("cat > /tmp/typed\n")
    console.send("helo\x7flo wrong\x15right\n\x04")
    console.seek(start)
    console.expect(r"right\r?\n\$ $")
    assert typed(board, "cat /tmp/typed") == ["right"]


def test_a_line_is_edited_where_the_cursor_is(board: Board) -> None:
    """By linenoise: arrows, the line before, a word taken back, names behind a tab, a line that is longer than the screen and sent at once."""
    console = board["shell"]
    for keys, answer in (
        ("echo onetwo\x1b[D\x1b[D\x1b[D and \x1b[H\x06\x06\x0b\x15echo ac\x1b[Db\r", "abc"),
        ("\x1b[A\x1b[D\x1b[D\x7fx\r", "xbc"),
        ("echo these words\x17those\r", "these those"),
        ("hea\t -1 /etc/mo\t | wc\r", None),
        (f"echo {'0123456789' * 80} | wcx\x7f\r", "1 1 801"),
    ):
        start = len(console.text)
        console.send(keys)
        console.seek(start)
        console.expect(r"\n(?:.*\n)*\$ $")
        said = console.text[start:].replace("\r", "").split("\n")[1:-1]
        assert said == [answer] if answer else re.fullmatch(r"1 \d+ \d+", said[0]), console.text[start:]


def test_what_is_pasted_comes_whole(board: Board) -> None:
    """More than the kernel keeps waits in the port: a line as long as linenoise takes, pasted while nobody reads, and lines for a program."""
    console = board["shell"]
    start = len(console.text)
    console.send(f"sleep 0\necho {'0123456789' * 400} | wc\n")
    console.seek(start)
    console.expect(r"\n1 1 4001\r?\n\$ $")
    lines = [f"{i:03}" + "x" * 96 for i in range(60)]
    console.send("\n".join(["cat > /tmp/pasted", *lines, "\x04"]))
    console.expect(r"059x+\r?\n\$ $")
    assert typed(board, "wc /tmp/pasted; grep 059 /tmp/pasted") == ["60 60 6000 /tmp/pasted", lines[-1]]


def test_what_runs_beside_is_told_and_killed(board: Board) -> None:
    child = re.fullmatch(r"\[(\d+)\]", typed(board, "sleep 1000 &")[0])
    assert child
    assert typed(board, "echo beside") == ["beside"]
    assert typed(board, "kill it; kill 0; kill 99") == [
        f"sh: kill: {what}" for what in ("it: Invalid argument", "0: Invalid argument", "99: No such process")
    ]
    assert typed(board, f"kill {child[1]}; sleep 1") == [f"[{child[1]}] ended by signal 15"]


def test_an_interrupt_ends_what_runs_in_front(board: Board) -> None:
    """All of its pipeline, whoever reads the console, and the rest of the line; not what runs beside, and not the shell."""
    console = board["shell"]
    child = re.fullmatch(r"\[(\d+)\]", typed(board, "sleep 1000 &")[0])
    assert child
    for line, first in ("sleep 1000; echo wrong", "sleep"), ("cat | sleep 1000 | cat && echo wrong", "cat"):
        start = len(console.text)
        console.send(line + "\n")
        console.seek(start)
        console.expect(rf"{first}.*\n")
        console.send("\x03")
        console.expect(r"(?s)\^C\r?\n.*ended by signal 2\r?\n\$ $")
        assert "wrong" not in console.text[start + len(line) + 2 :]
        assert typed(board, "echo $?") == ["130"]
    start = len(console.text)
    console.send("echo not this\x03")
    console.seek(start)
    console.expect(r"\^C\r?\n\$ $")
    assert typed(board, "echo this")[-1] == "this"
    assert typed(board, f"kill {child[1]}; sleep 1") == [f"[{child[1]}] ended by signal 15"]


def test_full_slots_are_said(board: Board) -> None:
    typed(board, "sleep 100 & sleep 100 & sleep 100 & sleep 100 & sleep 100 &")
    assert typed(board, "echo one more; echo $?")[0] == "sh: echo: too many programs run"
    command(board, "stop shell")
    command(board, "start shell")
    board["shell"].expect(r"\$ ")


def test_patterns_are_names_of_files(board: Board) -> None:
    """The server's, and in a folder of the shell's own."""
    assert typed(board, "echo /bin/w* /bin/?s '/bin/w*' /bin/none*") == ["/bin/wc /bin/ls /bin/w* /bin/none*"]
    assert typed(board, "mkdir /tmp/p; cd /tmp/p; echo 1 > one; echo 2 > two; cat * | wc; cat < o*; rm *; ls; cd /")[0] == "2 2 4"


def test_two_hundred_lines_leave_nothing(board: Board) -> None:
    typed(board, "ls / | cat | wc")
    before = free(board)
    for _round in range(20):
        assert typed(board, "echo a b c | cat | wc; echo; echo; ls /etc | wc") == ["1 3 6", "", "", "1 1 5"]
    assert free(board) == before
    assert listed(board, "shell.1")["state"] == "stopped"
