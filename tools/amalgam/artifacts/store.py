# SPDX-License-Identifier: MIT
"""The cache: content-keyed names, atomic publication."""

import ast
import functools
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from amalgam.building import building

from .error import ArtifactError

Log = Callable[[str], None]
EMULATOR = Path(__file__).resolve().parents[1] / "emulator"
CARRIERS = {"apt", "archive", "error", "pip", "store"}  # modules that carry things, and shape none


def key(*parts) -> str:
    """A short hash of `parts` (str, bytes, or Path: then the file's content)."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


@functools.cache
def recipe(module: str) -> str:
    """A hash of the module (its __file__) and of those that it imports, beside it or patches of emulators: how a thing is made is a part of its
    key."""
    found: set[Path] = set()
    wanted = [Path(module)]
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = [name.name for name in node.names]
            if node.level == 1:
                wanted += [path.parent / f"{name}.py" for name in ([node.module] if node.module else names) if name not in CARRIERS]
            elif node.module == "amalgam.emulator":
                wanted += [EMULATOR / f"{name}.py" for name in names]
    return key(*sorted(found))


def publish(cache: Path, name: str, make: Callable[[Path], None]) -> Path:
    """Return cache/name; if it is not there yet, let make(path) fill a temporary path and rename that."""
    final = Path(cache) / name
    if final.exists():
        return final
    with building():  # what takes minutes is made once
        return final if final.exists() else _made(final, make)


def _made(final: Path, make: Callable[[Path], None]) -> Path:
    """`final`, after make() of a temporary path that is then renamed."""
    final.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=final.parent))
    try:
        made = work / "result"
        make(made)
        if not made.exists():
            raise ArtifactError(f"{final.name}: the build step left no result")
        try:
            Path(made).replace(final)
        except OSError:
            if not final.exists():  # lost the race against another build of the same content: theirs is as good
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return final
