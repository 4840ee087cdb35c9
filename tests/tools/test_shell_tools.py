# SPDX-License-Identifier: MIT
"""The shell's tools (user/shell/tools) on the host: what a board's disk would have to be broken or full for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from amalgam import paths

TOOLS = paths.ROOT / "user/shell/tools"
GCC = ["gcc", "-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    for name in ("grep", "head", "ls", "sleep", "wc"):
        subprocess.run([*GCC, "-o", folder / name, TOOLS / f"{name}.c"], check=True)
    return folder


def run(tools: Path, *words: str | Path) -> tuple[int, str, str]:
    done = subprocess.run([tools / str(words[0]), *words[1:]], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_folder_of_more_than_512_names_is_listed_whole(tools: Path, tmp_path: Path) -> None:
    names = [f"name-{n:04}" for n in range(1100)]
    for name in names:
        (tmp_path / name).touch()
    assert run(tools, "ls", tmp_path) == (0, "".join(f"{name}\n" for name in names), "")


@pytest.mark.parametrize(("words", "status"), [(("grep", "x"), 2), (("head",), 1), (("wc",), 1)])
def test_a_file_that_cannot_be_read_is_said(tools: Path, tmp_path: Path, words: tuple[str, ...], status: int) -> None:
    """A folder can be opened, and not read."""
    failed, out, err = run(tools, *words, tmp_path)
    assert failed == status and not out
    assert err.endswith(f"{tmp_path}: Is a directory\n")


@pytest.mark.parametrize("words", [("grep", "x"), ("head",), ("wc",), ("ls",)])
def test_output_that_cannot_be_written_is_said(tools: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "x").write_text("x\n", encoding="utf-8")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run([tools / words[0], *words[1:], tmp_path / "x"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode in (1, 2)
    assert "output: No space left on device" in done.stderr


def test_head_takes_its_number_as_posix_says_and_as_one_types_it(tools: Path, tmp_path: Path) -> None:
    text = [f"{n}\n" for n in range(20)]
    (tmp_path / "x").write_text("".join(text), encoding="utf-8")
    for words, n in {("-n", "3"): 3, ("-n3",): 3, ("-3",): 3, ("-n", "0"): 0, (): 10}.items():
        assert run(tools, "head", *words, tmp_path / "x") == (0, "".join(text[:n]), ""), words
    for words in ("-n",), ("-n", "x"), ("-x",), ("-n", "-1"), ("-3x",), ("-n", "9" * 30):
        status, out, err = run(tools, "head", *words)
        assert (status, out) == (1, ""), words
        assert err.endswith((": Invalid argument\n", ": Numerical result out of range\n"))


def test_sleep_refuses_what_is_no_number(tools: Path) -> None:
    for word in "x", "", "1x", "-1":
        assert run(tools, "sleep", word) == (1, "", f"{tools / 'sleep'}: {word}: Invalid argument\n".replace(str(tools) + "/", "")), word
    assert run(tools, "sleep", "0") == (0, "", "")
