# SPDX-License-Identifier: MIT
"""The initrd of a Linux that is built here: /init, busybox, and our test programs."""

from collections.abc import Mapping
from pathlib import Path

from .cpio import Archive


def pack_userland(target: Path, init: Path, shell: Path, programs: Mapping[str, Path]) -> None:
    """Write it; `programs` by their names in /bin."""
    archive = Archive()
    for directory in ("proc", "sys", "dev", "tmp", "mnt", "bin"):
        archive.directory(directory)
    archive.character_device("dev/console", 5, 1)
    archive.file("init", init.read_bytes(), 0o755)
    for name, path in {"busybox": shell, **programs}.items():
        archive.file(f"bin/{name}", path.read_bytes(), 0o755)
    target.write_bytes(archive.bytes())
