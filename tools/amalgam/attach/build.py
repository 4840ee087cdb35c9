# SPDX-License-Identifier: MIT
"""Build what runs on that Linux, and the initrd that holds it: the stock one, then a small archive of ours behind it."""

from __future__ import annotations

import os
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.artifacts import kernel, kmod
from amalgam.artifacts.cpio import Archive
from amalgam.build.kernel import build_kernel
from amalgam.building import building
from amalgam.errors import UserError
from amalgam.ui import Progress

SOURCE = paths.ROOT / "linux"
MADE = paths.BUILD / "linux"
IMAGE = paths.BUILD / "attach" / "amalgam.bin"
FILES = {  # name in the archive: what is there
    "usr/lib/amalgam/amalgam.bin": IMAGE,
    "bin/amalgam": MADE / "amalgam",
    "bin/amalgam-stress": MADE / "amalgam-stress",
    "bin/amalgam-fuzz": MADE / "amalgam-fuzz",
    "bin/amalgam-ways": MADE / "amalgam-ways",
    "bin/kexec-now": MADE / "kexec-now",
    "bin/kvm-holder": MADE / "kvm-holder",
}
POKES = ("amalgam-poke.ko", "amalgam-ports.ko")  # what root's own code may try


def made_for(meta: str) -> Path:
    """Where the modules for the kernel of package `meta` are built."""
    return MADE if meta == kernel.META else MADE / meta


def make(progress: Progress, meta: str, out: Path, *what: str) -> None:
    """Run linux/Makefile against the headers of that kernel."""
    from amalgam.artifacts.error import ArtifactError

    try:
        headers = kmod.headers(paths.CACHE, progress, meta)
    except ArtifactError as error:
        raise UserError(f"headers of {meta}: {error}", "./amalgam doctor says what this machine lacks") from error
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    proc.run(["make", "-s", "-j2", "-C", SOURCE, f"KDIR={headers / 'build'}", f"OUT={out}", *what], "building linux/", env=env)


@building()
def build_linux(progress: Progress, meta: str = kernel.META) -> None:
    """The modules against the headers of the kernel of package `meta`, the command, the load."""
    progress("module and command")
    make(progress, meta, made_for(meta), "module", "poke")
    make(progress, kernel.META, MADE, "command", "stress")


@building()
def build_initrd(progress: Progress, more: dict[str, Path] | None = None, name: str = "initrd", meta: str = kernel.META) -> Path:
    """Everything up to date, packed, for the kernel of package `meta`; `more` adds files, to an initrd of another `name`."""
    build_kernel("attach", progress)
    build_linux(progress, meta)
    stock = artifacts.debian("initrd-attach", progress, meta=meta)
    modules = f"lib/modules/{kernel.find(paths.CACHE, progress, meta).release}"  # where modprobe looks
    archive = Archive()
    built = made_for(meta)
    files = FILES | {f"lib/modules/{name}": built / "poke" / name for name in POKES} | (more or {})
    for inside, path in sorted(files.items()):
        archive.file(inside, path.read_bytes(), 0o755)
    archive.file(f"{modules}/amalgam.ko", (built / "module" / "amalgam.ko").read_bytes())
    archive.file(f"{modules}/modules.dep", b"amalgam.ko:\n")
    made = paths.BUILD / "attach" / f"{name}{'' if meta == kernel.META else '-' + meta}.cpio"
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".part")
    part.write_bytes(stock.read_bytes() + archive.bytes())
    part.replace(made)  # a board may read the one before
    return made
