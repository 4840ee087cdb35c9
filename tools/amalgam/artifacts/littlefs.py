# SPDX-License-Identifier: MIT
"""What programs with files on a disk are made with: the tree of processes' programs (process.py) with littlefs, whose C source is in its Python
package's, pinned by hash, and user/disk/ in it."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import archive, pip, process
from .machines import USUAL, Machine
from .net import compile_all
from .store import Log, key, publish, recipe

DISK = process.USER / "disk"
PROGRAMS = DISK / "programs"
DRIVER = process.USER / "drivers" / "virtio-blk.h"
REQUIREMENT = Path(__file__).resolve().parents[2] / "requirements-littlefs.txt"
FILES = ("lfs.c", "lfs_util.c", "lfs.h", "lfs_util.h", "LICENSE.md")
# What it says of itself goes to nobody; what it takes for impossible ends the program.
FOREIGN = ("-std=gnu17", "-O2", "-w", "-DLFS_NO_DEBUG", "-DLFS_NO_WARN", "-DLFS_NO_ERROR")


def fetched(folder: Path, log: Log) -> Path:
    """Download the package's source into `folder`; as pip.download()."""
    log("fetching littlefs")
    return pip.download(REQUIREMENT, folder, ".tar.gz", "--no-binary", "littlefs-python")


def source(cache: Path, log: Log) -> Path:
    """littlefs' own files."""

    def make(target: Path) -> None:
        target.mkdir()
        archive.take(fetched(target.parent, log), (f"littlefs/{name}" for name in FILES), target)

    return publish(cache, f"littlefs-{key(recipe(__file__), REQUIREMENT)}", make)


def toolchain(cache: Path, log: Log, machine: Machine = USUAL) -> Path:
    """The tree, with lfs.h and amalgam/disk.h in headers/, and lib/liblfs.a."""
    base, lfs = process.toolchain(cache, log, machine), source(cache, log)
    own = sorted(path for path in DISK.rglob("*") if path.suffix in (".c", ".h") and PROGRAMS not in path.parents)

    def make(target: Path) -> None:
        log("compiling littlefs and user/disk/")
        shutil.copytree(base, target)
        shutil.copytree(DISK / "include", target / "headers", dirs_exist_ok=True)
        for name in ("lfs.h", "lfs_util.h"):
            shutil.copy(lfs / name, target / "headers")
        gcc = [machine.tool("gcc"), *process.compile_words(target, machine), process.FRAMES]
        foreign = [(lfs / name, FOREIGN) for name in FILES if name.endswith(".c")]
        ours = [(path, (*process.OWN, "-O2")) for path in own if path.suffix == ".c"]
        compile_all(foreign + ours, target / "lib/liblfs.a", gcc, machine)

    return publish(cache, f"disk-{machine.name}-{key(recipe(__file__), base.name, lfs.name, DRIVER, *own)}", make)


def build_for_host(cache: Path, made: Path) -> None:
    """For tests: the folder `made` gets littlefs' sources."""
    lfs = source(cache, print)
    made.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(lfs / name, made)
