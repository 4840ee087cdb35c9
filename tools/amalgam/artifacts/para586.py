# SPDX-License-Identifier: MIT
"""Linux for a Pentium as a guest in ring 1: our files (guests/linux586/para) beside its source, none of its own changed but a list of objects.

The compiler is called through a wrapper: it searches headers of ours first, which take the kernel's own and give a few functions
in place of theirs, and the assembler reads macros named after sensitive instructions before every file.
"""

from __future__ import annotations

from pathlib import Path

from amalgam import proc
from amalgam.api import para

from .error import ArtifactError

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux586/para"
LIST = "arch/x86/kernel/Makefile"


def calls() -> str:
    """The header of the calls."""
    return para.guest_header(para.load())


def inputs() -> list[Path | str]:
    """What such a kernel is made of beside Linux and its configuration."""
    return [*sorted(p for p in HERE.rglob("*") if p.is_file()), calls(), Path(__file__)]


def add(tree: Path, folder: Path, compiler: str) -> Path:
    """Put our file into an unpacked source, and what is read before Linux' own into `folder`. The compiler's wrapper."""
    headers = folder / "include/asm"
    headers.mkdir(parents=True)
    for header in sorted((HERE / "include/asm").iterdir()):
        (headers / header.name).write_bytes(header.read_bytes())
    (headers / "amalgam_calls.h").write_text(calls(), encoding="utf-8")
    macros = folder / "insn.inc"
    proc.run([compiler, "-E", "-P", "-I", headers, "-o", macros, HERE / "insn.S"], "preprocessing the instructions' macros")
    (tree / "arch/x86/kernel/amalgam.c").write_bytes((HERE / "amalgam.c").read_bytes())
    objects = tree / LIST
    text = objects.read_text(encoding="utf-8")
    if "\nobj-y" not in text:
        raise ArtifactError(f"{LIST} of this Linux has no list of objects: see {Path(__file__).name}")
    objects.write_text(text + "obj-y += amalgam.o\n", encoding="utf-8")
    wrapper = folder / "cc"
    wrapper.write_text(f'#!/bin/sh\nexec {compiler} -I{folder}/include -Wa,{macros} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    return wrapper
