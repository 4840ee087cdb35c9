# SPDX-License-Identifier: MIT
"""How figures and a stranger's words are shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from amalgam.errors import visible
from amalgam.system.source import Diagnostics, Mark, SystemFileError
from amalgam.ui import number, table, working


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("n/a", "n/a"),
        (True, "True"),
        (12345, "12,345"),
        (12345.67, "12,345.7"),
        (0.99951, "0.9995"),
        (1.00041, "1.0004"),
        (1.0, "1"),
        (17.712, "17.71"),
    ],
)
def test_number(value: object, text: str) -> None:
    assert number(value) == text


def test_a_table_shows_brackets_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    """They are no marks of the library that draws it."""
    table("a [b]title[/b]", ["[i]name"], [["test[i586]"], ["[/x]"], ["\x1b[2J"]])
    shown = capsys.readouterr().out
    assert all(text in shown for text in ("a [b]title[/b]", "[i]name", "test[i586]", "[/x]", "\\x1b[2J"))


def test_a_file_may_have_brackets_in_its_name(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal its name is in a line of that library, too."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with working("building a[/b].yaml"):
        pass
    assert "building a[/b].yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, \u00e4 and \n lines", "plain, \u00e4 and \n lines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("back\b\r\x00", "back\\x08\\r\\x00"),
        ("right to left \u202e", "right to left \\u202e"),
        ("no UTF-8 \udcff", "no UTF-8 \\udcff"),
    ],
)
def test_what_does_not_print_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_problem_of_a_file_is_one_line() -> None:
    """A value with a line's end makes none that looks like ours."""
    found = Diagnostics()
    found.error(Mark(Path("x.yaml")), "'a\namalgam: done\x1b[2J' is not allowed", "a name")
    with pytest.raises(SystemFileError) as error:
        found.stop_if_any("x.yaml")
    assert error.value.what.count("\n") == 1
    assert "\x1b" not in error.value.what
