# SPDX-License-Identifier: MIT
"""The command `amalgam`, as far as it needs no device: words, sizes, where its answer goes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from amalgam.attach.build import SOURCE


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("command")
    subprocess.run(["make", "-s", "-C", SOURCE, f"OUT={made}", "command"], check=True, timeout=600)
    return made / "amalgam"


@pytest.mark.parametrize("size", ["", "-1", "1.5G", "1T", "64 M", "65536G", "17179869183G", "18446744073709551615"])
def test_what_is_no_size_is_refused(command: Path, size: str) -> None:
    """A sum of sizes never overflows: what is too large for any machine is none."""
    for words in (["memory", "give", size], ["load", "--heap", size], ["domain", "create", "image", "--extra", size]):
        done = subprocess.run([command, *words], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and "next: amalgam --help" in done.stderr, (words, done)


@pytest.mark.parametrize("cpus", ["", "2-1", "1,", "two", "-1", "4294967297", "18446744073709551617"])
def test_what_is_no_list_of_cpus_is_refused(command: Path, cpus: str) -> None:
    """A number that was cut would name another CPU."""
    done = subprocess.run([command, "domain", "create", "image", "--cpus", cpus], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "is no list of CPUs, such as 2,3 or 4-7" in done.stderr, done


def test_an_answer_that_a_full_disk_does_not_take_is_a_failure(command: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([command, "help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("amalgam: error: writing the answer: No space left on device")


def test_without_an_output_nobody_misses_the_answer(command: Path) -> None:
    assert subprocess.run(["sh", "-c", f"{command} help >&-"], timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "status", "error", "following"),
    [
        ([], 2, "which command?", "amalgam --help"),
        (["fly"], 2, "no command 'fly'", "amalgam --help"),
        (["cpu", "give"], 2, "cpu: give N or take N", "amalgam --help"),
        (["domain", "create", "none", "--cpus", "x"], 2, "domain create: 'x' is no list of CPUs, such as 2,3 or 4-7", "amalgam --help"),
        (["domain", "create", 'no"ne'], 1, 'no"ne: No such file or directory', "./amalgam build SYSTEM makes one: build/systems/NAME.img"),
    ],
)
def test_a_failure_is_json_for_who_asked_for_json(command: Path, words: list[str], status: int, error: str, following: str) -> None:
    done = subprocess.run([command, "--json", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status
    assert json.loads(done.stdout) == {"status": status, "errors": [{"error": error, "next": following}]}


SHOW = """
#include <stdio.h>
#include "command.h"
int main(int n, char **word)
{
    char piece[64], shown[4 * sizeof(piece)];
    u8 held = 0;
    for (size_t got; (got = fread(piece, 1, (size_t)atoi(word[1]), stdin));)
        fwrite(shown, 1, show_text(&held, piece, got, shown), stdout);
    return 0;
}
"""


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """show_text() of the command as a filter of its own, which takes so many bytes at once."""
    home = tmp_path_factory.mktemp("show")
    (home / "show.c").write_text("#include <stdlib.h>\n" + SHOW, encoding="utf-8")
    flags = ["-fsanitize=address,undefined", "-I", SOURCE / "command", "-I", SOURCE / "amalgam", "-I", SOURCE.parent / "kernel/api"]
    subprocess.run(["gcc", *flags, "-o", home / "show", home / "show.c", SOURCE / "command/say.c"], check=True)
    return home / "show"


@pytest.mark.parametrize(
    ("said_by_a_domain", "shown"),
    [
        (b"one\r\ntwo\tthree\n", b"one\ntwo\tthree\n"),
        (b"\x1b[2J\x1b]0;root@host\x07\x7f", b"^[[2J^[]0;root@host^G^?"),
        (b"right\rwrong\r\r\n", b"right^Mwrong^M\n"),
        ("sch\u00f6n \u20ac \u00a0\u009b2J".encode(), "sch\u00f6n \u20ac \u00a0M-^[2J".encode()),
        (b"\xc2\xc2\x9b\x00", b"\xc2M-^[^@"),
    ],
)
def test_what_a_domain_says_does_nothing_to_a_terminal(show: Path, said_by_a_domain: bytes, shown: bytes) -> None:
    for at_once in ("1", "2", "64"):
        done = subprocess.run([show, at_once], input=said_by_a_domain, capture_output=True, check=True)
        assert done.stdout == shown
