# SPDX-License-Identifier: MIT
"""Debian 12's emulator where the machine's own will not do, unpacked with its libraries: QEMU 10, which Debian 13 has, has dropped
the 405EP board, and takes no plugin of interface 1 (tools/plugin/tcg_plugin.h). What is counted so is counted by the same emulator on
both."""

from __future__ import annotations

import functools
import mmap
import os
import shutil
import subprocess
from pathlib import Path

from . import apt, programs, qemu10
from .store import Log, key, publish, recipe

PROGRAM, MACHINE = "qemu-system-ppc", "ref405ep"
LOADER = "lib64/ld-linux-x86-64.so.2"
# Debian's package of an emulator, and the program in it: /usr/bin/qemu-system-i386 is a script that looks for Xen's.
PROGRAMS = {
    PROGRAM: (PROGRAM, f"usr/bin/{PROGRAM}"),
    "qemu-system-x86_64": ("qemu-system-x86", "usr/bin/qemu-system-x86_64"),
    "qemu-system-i386": ("qemu-system-x86", "usr/libexec/qemu-system-i386"),
    "qemu-system-riscv64": ("qemu-system-misc", "usr/bin/qemu-system-riscv64"),
    "qemu-system-riscv32": ("qemu-system-misc", "usr/bin/qemu-system-riscv32"),
}
FIRMWARE = ("/usr/share/qemu", "/usr/share/seabios", "/usr/lib/ipxe/qemu")  # packages of its own, the same for every version
MODULES = "usr/lib/x86_64-linux-gnu/qemu"  # where an x86 emulator has its translator
INTERFACE = b"\0qemu_plugin_register_vcpu_insn_exec_inline\0"  # of 1, gone from 2


def has_board(program: str) -> bool:
    """Whether this emulator still has the board."""
    told = subprocess.run([program, "-M", "help"], capture_output=True, text=True, check=False)
    return any(line.split()[:1] == [MACHINE] for line in told.stdout.splitlines())


def takes_plugins(program: Path) -> bool:
    """Whether this emulator has plugin interface 1: by the name of a function that later ones have not."""
    with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        return image.find(INTERFACE) >= 0


def unpacked(cache: Path, log: Log, name: str = PROGRAM) -> list[str]:
    """Debian 12's emulator `name`, by its own loader and libraries. Nothing of it is installed."""
    packages = apt.debian12(cache)
    files = dict(programs.with_libraries(cache, {"program": PROGRAMS[name]}, log, packages))
    data = packages.unpacked(cache, "qemu-system-data", log) / "usr/share/qemu"

    def make(target: Path) -> None:
        target.mkdir()
        for inside, path in files.items():
            if inside.startswith("lib/"):
                (target / Path(inside).name).symlink_to(os.path.relpath(path, final))

    final = Path(cache).resolve() / f"libraries-{name}-{key(recipe(__file__), *sorted(str(path) for path in files.values()))}"
    publish(cache, final.name, make)
    firmware = [word for folder in (str(data), *FIRMWARE) if Path(folder).is_dir() for word in ("-L", folder)]
    modules = packages.unpacked(cache, "qemu-system-common", log) / MODULES
    return ["env", f"QEMU_MODULE_DIR={modules}", str(files[LOADER]), "--library-path", str(final), str(files["program"]), *firmware]


@functools.cache
def counting(cache: Path, program: str, log: Log) -> tuple[str, ...]:
    """The words that a command with a plugin begins with instead of `program`, one of PROGRAMS by name or path. ArtifactError."""
    name, found = Path(program).name, shutil.which(program)
    if found and qemu10.is_ours(found):
        own = qemu10.machines_own(name)
        if own is None:
            return tuple(unpacked(cache, log, name))
        program = found = own
    behind = Path("/") / PROGRAMS[name][1]  # of a script
    image = behind if found == f"/usr/bin/{name}" and behind.is_file() else Path(found or "/")
    return (program,) if found is None or takes_plugins(image) else tuple(unpacked(cache, log, name))


@functools.cache
def ppc405(cache: Path, log: Log) -> tuple[str, ...]:
    """The words that a command of this board begins with: the machine's own emulator if it has the board, else Debian 12's. ArtifactError."""
    own = shutil.which(PROGRAM)
    return (own,) if own and has_board(own) else tuple(unpacked(cache, log))
