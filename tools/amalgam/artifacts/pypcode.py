# SPDX-License-Identifier: MIT
"""pypcode: Ghidra's descriptions of processors, and what translates instructions to P-code by them. A Python package, pinned by the hash of its wheel
for each Python (3.11 to 3.14). Of its descriptions PowerPC's are kept."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from . import pip
from .store import Log, key, publish, recipe

REQUIREMENT = Path(__file__).resolve().parents[2] / "requirements-pypcode.txt"
PROCESSORS, KEPT = "pypcode/processors/", "pypcode/processors/PowerPC/"


def unpack(wheel: Path, target: Path) -> None:
    """Make the folder `target`, from which `import pypcode` takes it."""
    target.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.startswith(PROCESSORS) or name.startswith(KEPT):
                archive.extract(name, target)


def folder(cache: Path, log: Log) -> Path:
    """The folder for sys.path. NotFetchedError, ArtifactError."""

    def make(target: Path) -> None:
        log("fetching pypcode (14 MB)")
        unpack(pip.download(REQUIREMENT, target.parent, ".whl", "--only-binary=:all:"), target)

    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return publish(cache, f"pypcode-{version}-{key(recipe(__file__), REQUIREMENT)}", make)
