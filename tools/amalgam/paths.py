# SPDX-License-Identifier: MIT
"""Where things are. Everything that the tools write lies in build/ and .cache/ of the checkout."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CACHE = Path(os.environ.get("AMALGAM_CACHE", ROOT / ".cache"))
BOARDS = ROOT / "boards"
SYSTEMS = ROOT / "systems"
BENCH = ROOT / "bench"
SHAPES = tuple(sorted(config.stem for config in (ROOT / "config").glob("*.config")))


def image_of(system: Path) -> Path:
    """Where the image of a system file is made. Two files of one name in different folders have different images."""
    if system.resolve().parent == SYSTEMS:
        return BUILD / "systems" / f"{system.stem}.img"
    place = hashlib.sha256(str(system.resolve()).encode(errors="surrogateescape")).hexdigest()[:8]
    return BUILD / "systems" / f"{system.stem}-{place}.img"


def kernel_elf(shape: str = "pc") -> Path:
    """The linked kernel of a shape."""
    return BUILD / shape / "amalgam.elf"


def kernel_map(shape: str = "pc") -> Path:
    """Its link map."""
    return BUILD / shape / "amalgam.map"


def shown(path: Path) -> str:
    """`path` as a user would type it: relative to where they stand, when it is below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
