# SPDX-License-Identifier: MIT
"""Build what runs on that Linux, and the initrd that holds it: the stock one, then a small archive of ours behind it."""

from __future__ import annotations

import os
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.artifacts import kernel, kmod
from amalgam.artifacts.cpio import Archive
from amalgam.errors import UserError
from amalgam.kernel import build_kernel
from amalgam.ui import Progress

SOURCE = paths.ROOT / "linux"
MADE = paths.BUILD / "linux"
IMAGE = paths.BUILD / "attach" / "amalgam.bin"
FILES = {  # name in the archive: what is there
    "usr/lib/amalgam/amalgam.bin": IMAGE,
    "bin/amalgam": MADE / "amalgam",
    "bin/amalgam-stress": MADE / "amalgam-stress",
    "bin/amalgam-fuzz": MADE / "amalgam-fuzz",
    "bin/kexec-now": MADE / "kexec-now",
    "bin/kvm-holder": MADE / "kvm-holder",
    "lib/modules/amalgam-poke.ko": MADE / "poke" / "amalgam-poke.ko",
}
MODULE = MADE / "module" / "amalgam.ko"


def build_linux(progress: Progress) -> None:
    """The module against the stock kernel's headers, the command, the load."""
    from amalgam.artifacts.error import ArtifactError

    try:
        headers = kmod.headers(paths.CACHE, progress)
    except ArtifactError as error:
        raise UserError(f"headers of the stock kernel: {error}", "./amalgam doctor says what this machine lacks") from error
    progress("module and command")
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    words = ["make", "-s", "-j2", "-C", SOURCE, f"KDIR={headers / 'build'}", f"OUT={MADE}", "module", "command", "stress", "poke"]
    proc.run(words, "building linux/", env=env)


def build_initrd(progress: Progress, more: dict[str, Path] | None = None, name: str = "initrd") -> Path:
    """Everything up to date, packed; `more` adds files, to an initrd of another `name`."""
    build_kernel("attach", progress)
    build_linux(progress)
    stock = artifacts.debian("initrd-attach", progress)
    archive = Archive()
    for inside, path in sorted((FILES | (more or {})).items()):
        archive.file(inside, path.read_bytes(), 0o755)
    modules = f"lib/modules/{kernel.find(paths.CACHE, progress).release}"  # where modprobe looks
    archive.file(f"{modules}/amalgam.ko", MODULE.read_bytes())
    archive.file(f"{modules}/modules.dep", b"amalgam.ko:\n")
    made = paths.BUILD / "attach" / f"{name}.cpio"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_bytes(stock.read_bytes() + archive.bytes())
    return made
