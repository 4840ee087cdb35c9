# SPDX-License-Identifier: MIT
"""Files out of an archive of sources."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from pathlib import Path

from .error import ArtifactError


def take(archive: Path, names: Iterable[str], target: Path) -> None:
    """`names` are paths below the one folder that an archive has; each file comes into `target` under its last part. ArtifactError."""
    missing = set(names)
    with tarfile.open(archive) as packed:
        for member in packed:
            name = member.name.partition("/")[2]
            if member.isfile() and name in missing and (data := packed.extractfile(member)):
                (target / Path(name).name).write_bytes(data.read())
                missing.remove(name)
    if missing:
        raise ArtifactError(f"{archive.name} has no {', '.join(sorted(missing))}")
