# SPDX-License-Identifier: MIT
"""However a guest that somebody brought ends, `run` ends with it, says how, and its status tells (docs/guests.md)."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam import artifacts, paths
from test_cli import amalgam

pytestmark = pytest.mark.usefixtures("one_board")


@pytest.fixture(scope="module", autouse=True)
def up_to_date(kernel: Path) -> None:
    artifacts.make_guests(lambda _text: None)


def run_guest(name: str, *words: str) -> tuple[int, str]:
    """`run guest` of a file that guests/ builds; its status, and all that it said."""
    done = amalgam("run", "guest", "--kernel", str(paths.BUILD / "guests" / name), "--memory", "16M", *words, timeout=240)
    return done.returncode, done.stdout + done.stderr


def test_a_power_off_is_status_0() -> None:
    status, said = run_guest("hello.elf", "--append", "end=off")
    assert (status, "amalgam: error" in said) == (0, False), said


def test_a_death_is_status_3_with_the_reason() -> None:
    status, said = run_guest("crash.elf", "--append", "mode=triple")
    assert status == 3, said
    assert "amalgam: error: 'guest' died (triple fault: vcpu 0: triple fault)" in said


def test_a_guest_that_the_machine_cannot_host_ends_the_run_with_status_1() -> None:
    status, said = run_guest("hello.elf", "--cpu", "EPYC,-svm")
    assert status == 1, said
    assert "amalgam: error: 'guest' could not start: this kernel, on this machine, has nothing for its kind" in said


def test_an_image_that_the_kernel_refuses_ends_the_run_with_status_1(tmp_path: Path) -> None:
    """Multiboot2 with a required tag of a type that nobody knows: found by the kernel's loader only."""
    words = [0xE85250D6, 0, 32, 0]
    words[3] = -sum(words) & 0xFFFFFFFF
    image = tmp_path / "demanding"
    image.write_bytes(b"".join(word.to_bytes(4, "little") for word in [*words, 0x17, 8, 0, 8]).ljust(4096, b"\0"))
    status, said = run_guest(str(image))
    assert status == 1, said
    assert "'guest' could not start: the Multiboot2 header demands tag 23, which we cannot meet" in said


def test_exec_at_a_guest_that_dies_ends_with_its_status() -> None:
    status, said = run_guest("crash.elf", "--append", "mode=triple", "--exec", "guest:true", "--timeout", "60")
    assert status == 3, said
    assert "'guest' died (triple fault: vcpu 0: triple fault)" in said
