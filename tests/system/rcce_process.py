# SPDX-License-Identifier: MIT
"""What tests of RCCE in processes share: a program compiled for one, its domain, and where it is heard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amalgam.artifacts.machines import MACHINES
from amalgam.artifacts.rcce import process_words
from amalgam.build.programs import RCCE, compile_program, toolchain

HERE = Path(__file__).with_name("rcce")
MACHINE = MACHINES["i386"]


def compiled(name: str, folder: Path, *more: str) -> Path:
    """tests/system/rcce/NAME.c, with more words for the compiler."""
    made = folder / f"{name}.elf"
    tree = toolchain(lambda _text: None, MACHINE, RCCE)
    words = ["-O2", "-Wall", "-Werror", str(HERE / f"{name}.c"), "-o", str(made), *more]
    assert compile_program(process_words(words), tree, MACHINE) == 0
    return made


def process(program: Path | str, ues: list[int], *arguments: str, shared: str = "64K") -> dict[str, Any]:
    made = {"kind": "process", "program": str(program), "ues": ues, "memory": "512K", "shared": shared}
    return made | ({"arguments": ["program", *arguments]} if arguments else {})


def line(core: int, name: str, text: str) -> tuple[str, str]:
    """Who says what a process of a core says, and how."""
    return (name, text) if core == 0 else ("kernel", rf"core {core}: (?:\[{name}\] )?{text}")
