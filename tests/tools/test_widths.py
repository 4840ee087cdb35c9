# SPDX-License-Identifier: MIT
"""arch/x86/boot and arch/x86/cpu are for 32 and 64 bits: with a stand-in for the headers of a 32-bit folder they compile for a
Pentium without a warning. (Of printk's formats nothing is asked: they say `long` where 64 bits are meant.)"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from amalgam.paths import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = ROOT / "kernel"
SHARED = sorted(file for folder in ("boot", "cpu") for file in (KERNEL / "arch/x86" / folder).glob("*.c"))
STAND_IN = ROOT / "tests/host/x86_32"
FLAGS = [
    *("-m32", "-march=i586", "-std=gnu11", "-ffreestanding", "-fno-pic", "-mgeneral-regs-only", "-Os", "-Werror", "-Wall", "-Wextra"),
    *("-Wno-unused-parameter", "-Wno-type-limits", "-Wno-format"),
]


def test_there_is_something_to_compile() -> None:
    assert len(SHARED) > 15


@pytest.mark.parametrize("source", SHARED, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_both_widths_share_compiles_for_32_bits(source: Path, tmp_path: Path) -> None:
    folders = (KERNEL / "include", KERNEL, KERNEL / "arch/x86/include", STAND_IN, KERNEL / "board/pc/include")
    words = ["gcc", *FLAGS, *(f"-I{folder}" for folder in folders), "-c", source, "-o", tmp_path / "object.o"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_a_64_bit_folder_has_the_headers_that_the_stand_in_has() -> None:
    names = {file.name for file in (STAND_IN / "arch").iterdir()}
    names |= {"space.h", "user.h"}  # of processes, which a port may bring later: hal/space.h, hal/user.h
    assert names == {file.name for file in (KERNEL / "arch/x86/64/include/arch").iterdir()}
