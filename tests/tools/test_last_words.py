# SPDX-License-Identifier: MIT
"""A failing board test shows in its report what the board said last (tests/system/last_words.py)."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import last_words
import pytest
from amalgam import paths
from amalgam.board.board import Board

FAKE = Path(__file__).with_name("fake_board.py")
CONFTEST = paths.ROOT / "tests" / "system" / "conftest.py"


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(last_words, "LOGS", tmp_path / "build" / "test-logs")
    return last_words.LOGS


def a_test(**fixtures: Any) -> pytest.Item:
    module = SimpleNamespace(nodeid="tests/system/test_x.py")
    return cast(Any, SimpleNamespace(nodeid="tests/system/test_x.py::test_y", parent=module, funcargs=fixtures))


def left(folder: Path, **files: str) -> None:
    """Logs as a board leaves them: NAME__log or NAME__stderr."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")


def test_the_kernels_and_the_emulators_last_lines_are_shown(logs: Path) -> None:
    lines = "".join(f"line {n}\r\n\r\n" for n in range(1000))
    left(logs / "test_x.py_test_y", kernel__log=lines, stderr__log="qemu: it was I\n", core3__stderr="qemu: core 3\n")
    shown = dict(last_words.sections(a_test()))
    assert shown["kernel said last"].split("\n") == [f"line {n}" for n in range(960, 1000)]
    assert shown["stderr.log said last"] == "qemu: it was I" and shown["core3.stderr said last"] == "qemu: core 3"
    assert shown["logs of the board"].split("\n")[0] == "build/test-logs/test_x.py_test_y/core3.stderr"


def test_a_report_is_bounded_whatever_boards_said(logs: Path) -> None:
    endless = {f"guest{n}__log": "\x1b" * 10**6 for n in range(50)}
    left(logs / "test_x.py_test_y", kernel__log="k" * 10**6, stderr__log="\n\n" * 10**6 + "e" * 10**6, **endless)
    shown = [(who, said) for who, said in last_words.sections(a_test()) if who.endswith("said last")]
    assert len(shown) == 2 + last_words.OTHERS
    assert all(0 < len(said) <= last_words.CHARACTERS for _, said in shown)


def test_what_a_terminal_would_obey_is_shown_and_not_obeyed(logs: Path) -> None:
    said = "\x1b[31mred\x1b[0m, \x1b]0;title\x07, \x9b2J, \x00, \u202ereversed, \ufffd, \u00e4\n"
    left(logs / "test_x.py_test_y", kernel__log=said)
    shown = dict(last_words.sections(a_test()))["kernel said last"]
    assert shown == "red, \\x1b]0;title\\x07, \\x9b2J, \\x00, \\u202ereversed, \ufffd, \u00e4"


def test_the_port_for_people_is_shown_if_the_kernel_was_not_heard(logs: Path) -> None:
    left(logs / "test_x.py_test_y", kernel__log="", com1__log="panic: early")
    left(logs / "test_x.py", kernel__log="up", com1__log="the same")
    assert [said for who, said in last_words.sections(a_test()) if who.endswith("said last")] == ["panic: early", "up"]


def test_logs_of_an_earlier_run_are_not_taken_for_this_ones(logs: Path) -> None:
    left(logs / "test_x.py_test_y", kernel__log="long ago")
    os.utime(logs / "test_x.py_test_y" / "kernel.log", (1, 1))
    assert not list(last_words.sections(a_test()))


def test_a_board_that_still_runs_is_heard_in_the_report(logs: Path) -> None:
    """As of a module's board, whose logs are written at its end: through the hook that makes the report."""
    spec = importlib.util.spec_from_file_location("the_systems_conftest", CONFTEST)
    assert spec and spec.loader
    conftest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conftest)
    report = SimpleNamespace(failed=True, sections=[])
    with Board(lambda line, _log: [sys.executable, str(FAKE), str(line)], ["linux", "rt"], logs / "test_x.py") as board:
        board.kernel.expect("fake board", 20)
        item: Any = a_test(board=board)
        item.name, item.get_closest_marker = "test_y", lambda _name: None
        hook = conftest.pytest_runtest_makereport(item)
        next(hook)
        with pytest.raises(StopIteration):
            hook.send(SimpleNamespace(get_result=lambda: report))
    assert ("again, alone", "./amalgam test 'test_y'") in report.sections
    assert ("kernel said last", "amalgam: fake board") in report.sections
