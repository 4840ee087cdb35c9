# SPDX-License-Identifier: MIT
"""The command of the attach shape, as far as it can be tried without its module: help, wrong words, the manual."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("linux")
    subprocess.run(["make", "-s", "-C", paths.ROOT / "linux", f"OUT={made}", "command"], check=True)
    return made / "amalgam"


def said(*words: str | Path) -> tuple[str, int]:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


def names(command: Path) -> list[str]:
    return re.findall(r"^  (\w+) ", said(command, "--help")[0], re.M)


def test_every_command_explains_itself(command: Path) -> None:
    assert {"load", "attach", "detach", "status", "domain"} <= set(names(command))
    for name in names(command):
        text, status = said(command, name, "--help")
        assert status == 0 and text.startswith(f"usage: amalgam [--json] {name}")


def test_the_manual_has_every_command_and_option(command: Path) -> None:
    manual = re.sub(r"\\f[A-Z]|\\", "", (paths.ROOT / "linux/amalgam.8").read_text(encoding="utf-8"))
    for name in names(command):
        assert re.search(rf"^\.B\w* \"?{name}\b", manual, re.M), name
        for option in re.findall(r"--[a-z]+", said(command, name, "--help")[0].splitlines()[0]):
            assert option in manual or option == "--json", f"{name} {option}"


@pytest.mark.parametrize(
    "words",
    ["", "nonsense", "load --heap", "load --heap 3X", "cycle 0", "cpu give", "memory give x", "domain", "domain create", "trace maybe"],
)
def test_wrong_words_end_with_status_2(command: Path, words: str) -> None:
    text, status = said(command, *words.split())
    assert status == 2 and "amalgam: error:" in text and "next: amalgam --help" in text


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("load --nested --heap", "'--heap' lacks its value"),
        ("load --heep 3M", "'--heep' is no option"),
        ("load --nested=1", "'--nested=1': this option takes no value"),
        ("load image", "'image' is too much"),
        ("domain create system --cpus x", "'x' is no list of CPUs"),
        ("domain create --extra 3X system", "'3X' is no size"),
        ("domain create one two", "'two' is too much"),
        ("domain console guest --seconds x", "'x' is no number of seconds"),
        ("log -x", "'-x' is no option"),
        ("log one two", "[-f] [DOMAIN]"),
        ("backend --list x", "--list alone"),
        ("backend --block", "'--block' lacks its value"),
    ],
)
def test_a_wrong_option_is_named(command: Path, words: str, error: str) -> None:
    text, status = said(command, *words.split())
    assert status == 2 and error in text.splitlines()[0], text


@pytest.mark.parametrize(
    ("words", "error", "step"),
    [
        ("backend --block disk0", "--block 'disk0' is not NAME=FILE, with a NAME of at most 15 characters", "amalgam backend --list"),
        ("backend --block disk0=/nowhere/disk", "disk0: /nowhere/disk: No such file", "--block NAME=FILE"),
        ("backend --block a=/dev/null --net a=tap0", "a is named twice", "once"),
        ("backend --net net0=a-name-of-16-chr", "net0: 'a-name-of-16-chr' is longer than a tap's name, 15 characters", "--net NAME=TAP"),
        ("domain create /nowhere/image", "/nowhere/image: No such file", "./amalgam build SYSTEM"),
    ],
)
def test_a_failure_says_whose_it_is_and_one_step_to_take(command: Path, words: str, error: str, step: str) -> None:
    text, status = said(command, *words.split())
    first, second = text.splitlines()
    assert status == 1 and error in first, text
    assert second.startswith("  next: ") and step in second, text


def test_the_command_is_installed_with_all_it_needs(command: Path, tmp_path: Path) -> None:
    image = tmp_path / "amalgam.bin"
    image.write_bytes(b"image")
    words = ["make", "-s", "-C", paths.ROOT / "linux", f"OUT={command.parent}", f"IMAGE={image}", f"DESTDIR={tmp_path}/root", "install"]
    subprocess.run(words, check=True)
    root = tmp_path / "root"
    for name in (
        "usr/sbin/amalgam",
        "usr/lib/amalgam/amalgam.bin",
        "usr/share/man/man8/amalgam.8",
        "usr/lib/systemd/system/amalgam.service",
    ):
        assert (root / name).is_file(), name
    source = next((root / "usr/src").iterdir())
    made = re.search(r"^amalgam-y := (.*)$", (source / "Kbuild").read_text(), re.M)
    assert made and 'PACKAGE_VERSION="0.1"' in (source / "dkms.conf").read_text()
    for part in made[1].split():  # DKMS has every source that its Kbuild names, and every header of ours that these include
        assert list(source.glob(f"{Path(part).stem}.[cS]")), part
    for path in source.glob("*.[chS]"):
        for header in re.findall(r'#include "([\w./]+)"', path.read_text()):
            assert (source / header).is_file(), f"{path.name} includes {header}"
