# SPDX-License-Identifier: MIT
"""Our plugins for QEMU's TCG (tools/plugin/, and a bench's own), compiled when they are needed."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amalgam import paths, proc
from amalgam.building import building
from amalgam.errors import UserError

SOURCES = paths.ROOT / "tools" / "plugin"


@building()
def built(name: str, folder: Path = SOURCES) -> Path:
    """The plugin NAME.c of a folder of the tree, with its parts NAME_*.c, compiled when a source or a header is newer."""
    target = paths.BUILD / folder.relative_to(paths.ROOT) / f"{name}.so"
    sources = [folder / f"{name}.c", *sorted(folder.glob(f"{name}_*.c"))]
    newest = max(path.stat().st_mtime for path in (*sources, *SOURCES.glob("*.h")))
    if not target.is_file() or target.stat().st_mtime < newest:
        target.parent.mkdir(parents=True, exist_ok=True)
        words = [proc.need("gcc", "gcc"), "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{SOURCES}"]
        words += [*map(str, sources), "-o", str(target)]
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        if made.returncode:
            raise UserError(f"the counting plugin does not compile:\n{made.stderr}", "./amalgam doctor")
    return target
