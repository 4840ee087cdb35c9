# SPDX-License-Identifier: MIT
"""What stands for IRET in a guest in ring 1 (guests/linux586/para/insn.S) has the bytes by which kernel/arch/x86/para finds its begin and its end."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from amalgam.artifacts import para586
from amalgam.artifacts.userland586 import COMPILER
from amalgam.paths import ROOT


def assembled(tmp_path: Path) -> bytes:
    """The macro's code."""
    tree, made = tmp_path / "linux", tmp_path / "iret"
    (tree / para586.LIST).parent.mkdir(parents=True)
    (tree / para586.LIST).write_text("\nobj-y := other.o\n")
    compiler = para586.add(tree, tmp_path / "folder", COMPILER[0])
    made.with_suffix(".S").write_text("iret\n")
    subprocess.run([compiler, "-c", "-o", made.with_suffix(".o"), made.with_suffix(".S")], check=True)
    objcopy = COMPILER[0].removesuffix("gcc") + "objcopy"
    subprocess.run([objcopy, "-O", "binary", "-j", ".text", made.with_suffix(".o"), made], check=True)
    return made.read_bytes()


@pytest.mark.skipif(not shutil.which(COMPILER[0]), reason=f"apt install {COMPILER[1]}")
def test_the_kernel_finds_begin_and_end_of_what_stands_for_iret(tmp_path: Path) -> None:
    known = dict(re.findall(r"#define (IRET_\w+) +(\w+)", (ROOT / "kernel/arch/x86/para/para.h").read_text()))
    code, before, behind = int(known["IRET_CODE"], 16), int(known["IRET_MACRO"].rstrip("u")), int(known["IRET_CALL"].rstrip("u"))
    macro = assembled(tmp_path)
    assert len(macro) == before + behind
    assert macro[before - 2 : before + 1] == bytes([0x75, 1, code])  # JNE over it, as run.c compares
