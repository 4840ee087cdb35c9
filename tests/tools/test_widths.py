# SPDX-License-Identifier: MIT
"""arch/x86/boot and arch/x86/cpu are for 32 and 64 bits: the i586 shape links them. What only a 32-bit kernel has is right by itself."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from amalgam.paths import ROOT

if TYPE_CHECKING:
    from pathlib import Path

X86 = ROOT / "kernel/arch/x86"
PROCESSES = {"space.h", "user.h"}  # hal/space.h, hal/user.h: of 64 bits only
HOSTING = {"nested.h", "guest_cpu.h", "guest_registers.h"}  # hosting by the processor: of 64 bits only


def test_both_widths_have_the_same_headers() -> None:
    names = {width: {file.name for file in (X86 / width / "include/arch").iterdir()} for width in ("32", "64")}
    assert names["32"] | PROCESSES | HOSTING == names["64"]


def test_the_divisions_of_32_bits_are_right(tmp_path: Path) -> None:
    """As a program for a Pentium: tests/host/divisions.c compares them with divisions bit by bit."""
    flags = ["-std=gnu11", "-march=pentium", "-mregparm=3", "-Oz", "-ffreestanding", "-fno-pic", "-mgeneral-regs-only", "-fno-lto"]
    folders = ("tests/host/include", "kernel/include")
    includes = [f"-I{X86}/32/include", f"-I{X86}/include", *(f"-I{ROOT / folder}" for folder in folders)]
    sources = [ROOT / "tests/host/divisions.c", X86 / "32/divide.c"]
    program = tmp_path / "divisions"
    subprocess.run(["i686-linux-gnu-gcc", *flags, *includes, "-nostdlib", "-static", "-o", program, *sources], check=True)
    assert subprocess.run([program], timeout=60, check=False).returncode == 0
