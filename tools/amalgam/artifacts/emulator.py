# SPDX-License-Identifier: MIT
"""The emulator of the 405EP board: QEMU 10, which Debian 13 has, has dropped it, so there Debian 12's is unpacked with its libraries."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

from . import apt, programs
from .store import Log, key, publish

PROGRAM, MACHINE = "qemu-system-ppc", "ref405ep"
LOADER = "lib64/ld-linux-x86-64.so.2"


def has_board(program: str) -> bool:
    """Whether this emulator still has the board."""
    told = subprocess.run([program, "-M", "help"], capture_output=True, text=True, check=False)
    return any(line.split()[:1] == [MACHINE] for line in told.stdout.splitlines())


def unpacked(cache: Path, log: Log) -> list[str]:
    """Debian 12's emulator, by its own loader and libraries. Nothing of it is installed."""
    packages = apt.debian12(cache)
    files = dict(programs.with_libraries(cache, {"program": (PROGRAM, f"usr/bin/{PROGRAM}")}, log, packages))
    data = packages.unpacked(cache, "qemu-system-data", log) / "usr/share/qemu"

    def make(target: Path) -> None:
        target.mkdir()
        for inside, path in files.items():
            if inside.startswith("lib/"):
                (target / Path(inside).name).symlink_to(os.path.relpath(path, final))

    final = Path(cache).resolve() / f"libraries-{PROGRAM}-{key(Path(__file__), *sorted(str(path) for path in files.values()))}"
    publish(cache, final.name, make)
    return [str(files[LOADER]), "--library-path", str(final), str(files["program"]), "-L", str(data)]


@functools.cache
def ppc405(cache: Path, log: Log) -> tuple[str, ...]:
    """The words that a command of this board begins with: the machine's own emulator if it has the board, else Debian 12's. ArtifactError."""
    own = shutil.which(PROGRAM)
    return (own,) if own and has_board(own) else tuple(unpacked(cache, log))
