# SPDX-License-Identifier: MIT
"""Native programs of the SCC: compiled by `amalgam cc --rcce` or `--openmp`, and those of the tree (programs.py) that
systems name as build:NAME.elf."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import rcce
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import P54C
from amalgam.artifacts.rcce import OPENMP, RCCE, Runtime
from amalgam.artifacts.store import key
from amalgam.build.openmp import prepare
from amalgam.build.p54c import newer
from amalgam.build.programs import OURS, SOURCES, STOPS_BEFORE_LINKING, discard, headers, output
from amalgam.errors import UserError
from amalgam.system.natives import examine_native
from amalgam.ui import Progress

RUNTIMES = (RCCE, OPENMP)
LEAST = 100  # instructions of a program: it has the library's


def toolchain(progress: Progress, runtime: Runtime = RCCE) -> Path:
    """The C library and the runtime, made when they are not in the cache."""
    try:
        return rcce.toolchain(paths.CACHE, progress, runtime)
    except ArtifactError as error:
        raise UserError(f"the library of native programs: {error}", "./amalgam doctor says what this machine lacks") from error


def compile_program(words: Sequence[str], tree: Path, runtime: Runtime = RCCE) -> int:
    """Run gcc with a user's words, as programs.compile_program() does for processes. What it linked must be a program that the kernel
    would load, of instructions that a P54C has."""
    gcc = P54C.tool("gcc")
    if any(word in STOPS_BEFORE_LINKING for word in words):
        return subprocess.run([gcc, *rcce.compile_words(tree, runtime), *words], check=False).returncode
    before, behind = rcce.link_words(tree, runtime)
    done = subprocess.run([gcc, *rcce.compile_words(tree, runtime), *before, *words, *behind], check=False)
    if done.returncode == 0:
        made = output(words)
        wrong = examine_native(made).wrong
        if not wrong and (found := newer(made, LEAST)):
            wrong = f"it has instructions that a P54C has not: {found[0]}"
        if not wrong and runtime is OPENMP:
            wrong = prepare(made)
        if wrong:
            discard(made)
            raise UserError(f"what was linked is no native program: {wrong}", "leave out the option that changed how it is made")
    return done.returncode


def folders(runtime: Runtime) -> list[Path]:
    return [runtime.folder() / "programs", *(room / runtime.name for room in SOURCES)]


def sources() -> dict[str, tuple[Runtime, Path]]:
    """The programs of the tree, by their names."""
    return {path.stem: (runtime, path) for runtime in RUNTIMES for folder in folders(runtime) for path in sorted(folder.glob("*.c"))}


def program_names() -> list[str]:
    """What build:NAME.elf can be where a native program is wanted."""
    return sorted(f"{name}.elf" for name in sources())


def made_program(name: str) -> Path:
    """Where build:NAME.elf is."""
    runtime, _source = sources().get(name, (RCCE, None))
    return paths.BUILD / "programs" / runtime.name / f"{name}.elf"


def make_program(name: str, progress: Progress) -> Path:
    """Bring build/programs/RUNTIME/NAME.elf up to date."""
    (runtime, source), made = sources()[name], made_program(name)
    tree = toolchain(progress, runtime)
    stamp = made.with_suffix(".key")
    wanted = key(source, *headers(), tree.name, *OURS)
    if made.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return made
    progress(f"compiling {source.relative_to(paths.ROOT)} for {P54C.title}")
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".part")
    if compile_program([*OURS, str(source), "-o", str(part)], tree, runtime):
        raise UserError(f"{source.relative_to(paths.ROOT)} does not compile", "read the compiler's messages above")
    part.replace(made)
    stamp.write_text(wanted, encoding="utf-8")
    return made
