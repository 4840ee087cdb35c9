# SPDX-License-Identifier: MIT
"""linenoise, by which the shell's lines are edited (user/shell/edit.c): of Debian's source of redis, never copied here."""

from __future__ import annotations

from pathlib import Path

from . import apt, archive, process
from .machines import Machine
from .net import compile_all
from .store import Log, key, publish, recipe

PACKAGE = "redis"
FILES = ("deps/linenoise/linenoise.c", "deps/linenoise/linenoise.h")
# What it would do by itself, user/shell/edit.c does for it.
FOREIGN = (
    "-std=gnu17",
    "-Os",
    "-w",
    *(f"-D{name}=edit_{to}" for name, to in (("read", "read"), ("write", "write"), ("tcsetattr", "modes"))),
)


def source(cache: Path, log: Log) -> Path:
    """The folder with its two files."""
    packed = apt.source(cache, PACKAGE, log)

    def make(target: Path) -> None:
        target.mkdir()
        archive.take(packed, FILES, target)

    return publish(cache, f"linenoise-{key(recipe(__file__), packed)}", make)


def words(cache: Path, log: Log, tree: Path, machine: Machine) -> list[str | Path]:
    """For a program that has it, of a tree of process.toolchain()."""
    own = source(cache, log)

    def make(target: Path) -> None:
        target.mkdir()
        gcc = [machine.tool("gcc"), *process.compile_words(tree, machine)]
        compile_all([(own / "linenoise.c", FOREIGN)], target / "liblinenoise.a", gcc, machine)

    made = publish(cache, f"liblinenoise-{machine.name}-{key(recipe(__file__), tree.name, own.name)}", make)
    return ["-isystem", str(own), made / "liblinenoise.a"]
