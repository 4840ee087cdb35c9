# SPDX-License-Identifier: MIT
"""The userland of Linux for the 405: busybox and our test programs.

Debian has cross compilers and sources. Its C library uses floating point, which the 405 has not: the kernel's emulation of
it makes such programs run.
"""

import subprocess
from pathlib import Path

from . import apt
from .error import ArtifactError
from .linuxbuild import build_busybox, need
from .store import Log, key, publish, recipe
from .userland import pack_userland

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux40x"
CROSS = "powerpc-linux-gnu-"
TARGET = ("ARCH=powerpc", f"CROSS_COMPILE={CROSS}")
APEX = (HERE / "apex", ROOT / "guests/ppc405/apex")  # ARINC 653 ports, and what they stand on in a Linux program
LIBRARIES = {"ports": APEX}
CFLAGS = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-static", "-s", "-Wl,--build-id=none"]


def busybox(cache: Path, log: Log) -> Path:
    """A static busybox for the 405."""
    config = HERE / "busybox.config"
    archive = apt.source(cache, "busybox", log)
    folder = f"busybox40x-{key(recipe(__file__), config, archive.name)}"

    def build(target: Path):
        need(CROSS + "gcc", "gcc-powerpc-linux-gnu")
        build_busybox(target, archive, config, TARGET, "busybox for the 405", log)

    return publish(Path(cache), folder, build)


def program(cache: Path, source: Path, log: Log) -> Path:
    """One of our programs for Linux on the 405, static, with the libraries that it is listed with."""
    folders = LIBRARIES.get(source.stem, ())
    sources = [source, *(part for folder in folders for part in sorted(folder.glob("*.c")))]
    headers = [part for folder in folders for part in sorted(folder.glob("*.h"))]
    flags = [*CFLAGS, *(f"-I{folder}" for folder in folders)]

    def build(target: Path):
        need(CROSS + "gcc", "gcc-powerpc-linux-gnu")
        log(f"compiling {source.name}")
        done = subprocess.run([CROSS + "gcc", *flags, "-o", target, *sources], capture_output=True, text=True)
        if done.returncode:
            raise ArtifactError(f"{source.name} does not compile:\n{done.stderr[-1500:]}")

    return publish(Path(cache), f"program40x-{source.stem}-{key(recipe(__file__), *sources, *headers)}", build)


def initrd(cache: Path, log: Log) -> Path:
    """A shell, its tools, and every program of guests/linux40x."""
    shell = busybox(cache, log)
    programs = {source.stem: program(cache, source, log) for source in sorted(HERE.glob("*.c"))}
    init = HERE / "init"

    def build(target: Path):
        log("packing the initrd")
        pack_userland(target, init, shell, programs)

    return publish(Path(cache), f"initrd40x-{key(recipe(__file__), init, shell.name, *(p.name for p in programs.values()))}.cpio", build)
