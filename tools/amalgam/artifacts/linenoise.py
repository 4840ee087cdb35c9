# SPDX-License-Identifier: MIT
"""linenoise, by which the shell's lines are edited (user/shell/edit.c): of Debian's source of redis, never copied here."""

from __future__ import annotations

import tarfile
from pathlib import Path

from . import apt, process
from .error import ArtifactError
from .machines import Machine
from .net import compile_all
from .store import Log, key, publish, recipe

PACKAGE = "redis"
FILES = ("linenoise.c", "linenoise.h")
# What it would do by itself, user/shell/edit.c does for it.
FOREIGN = (
    "-std=gnu17",
    "-Os",
    "-w",
    *(f"-D{name}=edit_{to}" for name, to in (("read", "read"), ("write", "write"), ("tcsetattr", "modes"))),
)


def source(cache: Path, log: Log) -> Path:
    """The folder with its two files."""
    archive = apt.source(cache, PACKAGE, log)

    def make(target: Path) -> None:
        target.mkdir()
        with tarfile.open(archive) as packed:
            for member in packed.getmembers():
                path = Path(member.name)
                if member.isfile() and path.parts[1:-1] == ("deps", "linenoise") and path.name in FILES:
                    data = packed.extractfile(member)
                    assert data
                    (target / path.name).write_bytes(data.read())
        if missing := [name for name in FILES if not (target / name).is_file()]:
            raise ArtifactError(f"the source of redis has no {', '.join(missing)}")

    return publish(cache, f"linenoise-{key(recipe(__file__), archive)}", make)


def words(cache: Path, log: Log, tree: Path, machine: Machine) -> list[str | Path]:
    """For a program that has it, of a tree of process.toolchain()."""
    own = source(cache, log)

    def make(target: Path) -> None:
        target.mkdir()
        gcc = [machine.tool("gcc"), *process.compile_words(tree, machine)]
        compile_all([(own / "linenoise.c", FOREIGN)], target / "liblinenoise.a", gcc, machine)

    made = publish(cache, f"liblinenoise-{machine.name}-{key(recipe(__file__), tree.name, own.name)}", make)
    return ["-isystem", str(own), made / "liblinenoise.a"]
