# SPDX-License-Identifier: MIT
"""Programs of processes: compiled by `amalgam cc`, and those of user/programs that systems name as build:NAME.elf."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import process
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import USUAL, Machine
from amalgam.artifacts.store import key
from amalgam.errors import UserError
from amalgam.system.program import examine_program
from amalgam.ui import Progress

SOURCES = paths.ROOT / "user" / "programs"
MADE = paths.BUILD / "programs"
STOPS_BEFORE_LINKING = ("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only")
TAKES_A_VALUE = ("-o", "-I", "-D", "-U", "-L", "-l", "-x", "-include", "-isystem", "-iquote", "-MF", "-MT", "-MQ", "-T", "-Xlinker", "-u")
OURS = ["-std=gnu17", "-O2", "-g", "-Wall", "-Wextra", "-Werror", f"-ffile-prefix-map={paths.ROOT}/="]


def toolchain(progress: Progress, machine: Machine = USUAL) -> Path:
    """The C library and user/, made when they are not in the cache."""
    try:
        return process.toolchain(paths.CACHE, progress, machine)
    except ArtifactError as error:
        raise UserError(f"the C library of processes: {error}", "./amalgam doctor says what this machine lacks") from error


def inputs(words: Sequence[str]) -> list[str]:
    """The words that name files, not options."""
    return [word for i, word in enumerate(words) if not word.startswith("-") and not (i and words[i - 1] in TAKES_A_VALUE)]


def output(words: Sequence[str]) -> Path:
    """Where gcc puts what it links."""
    for i, word in enumerate(words):
        if word.startswith("-o"):
            return Path(word[2:] or "".join(words[i + 1 : i + 2]))
    return Path("a.out")


def compile_program(words: Sequence[str], tree: Path, machine: Machine = USUAL) -> int:
    """Run gcc with a user's words; its messages go where ours would. Returns its status. What it linked must be a program that the
    kernel would load."""
    gcc = machine.tool("gcc")
    if any(word in STOPS_BEFORE_LINKING for word in words):
        return subprocess.run([gcc, *process.compile_words(tree, machine), *words], check=False).returncode
    before, behind = process.link_words(tree, machine)
    done = subprocess.run([gcc, *process.compile_words(tree, machine), *before, *words, *behind], check=False)
    if done.returncode == 0:
        made = output(words)
        if wrong := examine_program(made, machine).wrong:
            made.unlink()
            raise UserError(f"what was linked is no program for a process: {wrong}", "leave out the option that changed how it is linked")
    return done.returncode


def program_names() -> list[str]:
    """What build:NAME.elf can be where a program is wanted."""
    return sorted(f"{path.stem}.elf" for path in SOURCES.glob("*.c"))


def made_program(name: str, machine: Machine = USUAL) -> Path:
    """Where build:NAME.elf is for that machine."""
    return MADE / machine.name / f"{name}.elf"


def make_program(name: str, progress: Progress, machine: Machine = USUAL) -> Path:
    """Bring build/programs/MACHINE/NAME.elf up to date."""
    source, made = SOURCES / f"{name}.c", made_program(name, machine)
    tree = toolchain(progress, machine)
    stamp = made.with_suffix(".key")
    wanted = key(source, tree.name, *OURS)
    if made.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return made
    progress(f"compiling {source.relative_to(paths.ROOT)} for {machine.title}")
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".part")
    if compile_program([*OURS, str(source), "-o", str(part)], tree, machine):
        raise UserError(f"{source.relative_to(paths.ROOT)} does not compile", "read the compiler's messages above")
    part.replace(made)
    stamp.write_text(wanted, encoding="utf-8")
    return made
