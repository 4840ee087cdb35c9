# SPDX-License-Identifier: MIT
"""QEMU's own plugin of caches (contrib/plugins/cache.c), compiled from Debian's source of the emulator: who measures with ours can compare."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from . import apt, archive
from .error import ArtifactError
from .store import Log, key, publish, recipe

PACKAGE, GLIB = "qemu", "libglib2.0-dev"
# Upstream's archive of QEMU 7.2, as Debian 12 has it: a later one's plugin has an interface that this emulator does not take.
PINNED = "91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f"
SOURCE, HEADER = "contrib/plugins/cache.c", "include/qemu/qemu-plugin.h"
FOLDERS = ("usr/include/glib-2.0", "usr/lib/x86_64-linux-gnu/glib-2.0/include")


def plugin(cache: Path, log: Log) -> Path:
    """The plugin, for options `dcachesize=`, `dassoc=`, `dblksize=`, and the same with `i`. ArtifactError."""
    packed = apt.pinned_source(cache, PACKAGE, PINNED, log)
    glib = apt.debian12(cache).unpacked(cache, GLIB, log)

    def make(target: Path) -> None:
        log("compiling QEMU's plugin of caches")
        with tempfile.TemporaryDirectory(dir=target.parent) as work:
            archive.take(packed, (SOURCE, HEADER), Path(work))
            words = ["gcc", "-O2", "-w", "-fPIC", "-shared", "-I", work, *(f"-I{glib / folder}" for folder in FOLDERS)]
            done = subprocess.run([*words, Path(work) / Path(SOURCE).name, "-o", target], capture_output=True, text=True)
        if done.returncode:
            raise ArtifactError(f"QEMU's plugin of caches does not compile:\n{done.stderr}")

    return publish(Path(cache), f"cacheplugin-{key(recipe(__file__), PINNED, glib.name)}.so", make)
