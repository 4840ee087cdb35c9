# SPDX-License-Identifier: MIT
"""The Xen hypervisor of Debian 12's package: a Multiboot kernel, unpacked."""

import gzip
from pathlib import Path

from . import apt
from .error import ArtifactError
from .store import Log, key, publish, recipe

PACKAGE = "xen-hypervisor-4.17-amd64"


def build(cache: Path, log: Log) -> Path:
    """The ELF file inside boot/xen-*.gz."""
    tree = apt.debian12(cache).unpacked(cache, PACKAGE, log)
    packed = sorted((tree / "boot").glob("xen-*.gz"))
    if not packed:
        raise ArtifactError(f"{tree.name} holds no boot/xen-*.gz; remove it from the cache and try again")

    def make(target: Path):
        log(f"unpacking {packed[-1].name}")
        try:
            data = gzip.decompress(packed[-1].read_bytes())
        except (OSError, EOFError) as error:
            raise ArtifactError(f"{packed[-1]} is damaged: {error}") from None
        target.write_bytes(data)

    return publish(Path(cache), f"xen-{key(recipe(__file__), packed[-1])}", make)
