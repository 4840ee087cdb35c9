# SPDX-License-Identifier: MIT
"""QEMU 10, Debian 13's, on a machine that has an older one: programs with their usual names in a folder for PATH, by their own loader and
libraries. Nothing of it is installed.

Two instructions of the 64-bit PC's emulator are mended in its copy (emulator/mend.py does it in memory, but a process that a loader has begun
is not known by its program). `AMALGAM_UNMENDED=1` starts them as Debian made them. There is no qemu-system-ppc here: it has no board of ours.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from amalgam.emulator import mend

from . import apt, programs
from .error import ArtifactError
from .store import Log, key, publish, recipe

VERSION = "10"
PROGRAMS = {
    "qemu-system-x86_64": ("qemu-system-x86", "usr/bin/qemu-system-x86_64"),
    "qemu-system-i386": ("qemu-system-x86", "usr/bin/qemu-system-i386"),
    "qemu-system-riscv64": ("qemu-system-riscv", "usr/bin/qemu-system-riscv64"),
    "qemu-system-riscv32": ("qemu-system-riscv", "usr/bin/qemu-system-riscv32"),
}
FIRMWARE = {"qemu-system-data": "usr/share/qemu", "seabios": "usr/share/seabios", "ipxe-qemu": "usr/share/qemu"}
LOADER = "ld-linux-x86-64.so.2"
OURS = "qemu10-"  # what the folder's name begins with
START = """#!/bin/sh
here=${{0%/*}}/..
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/${{AMALGAM_UNMENDED:+un}}mended/{name}" {firmware} "$@"
"""


def version(program: str) -> int:
    """The number before the first point of an emulator's version; 0: it does not say one."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"QEMU emulator version (\d+)\.", told)
    return int(found[1]) if found else 0


def is_ours(program: str) -> bool:
    """Whether a path is that of one that was unpacked here."""
    return Path(program).parent.parent.name.startswith(OURS)


def machines_path() -> str:
    """PATH without folders of ours."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if not is_ours(f"{entry}/qemu"))


def machines_own(program: str) -> str | None:
    """Where the machine has it."""
    return shutil.which(program, path=machines_path())


@functools.cache
def is_machines_own() -> bool:
    """Whether the machine's own is as new, as Debian 13's is."""
    own = machines_own("qemu-system-x86_64")
    return own is not None and version(own) >= int(VERSION)


def folder(cache: Path, log: Log) -> Path:
    """The folder for PATH. ArtifactError."""
    return publish(Path(cache).resolve(), OURS + key(recipe(__file__)), lambda target: _unpacked(cache, target, log)) / "bin"


def _unpacked(cache: Path, target: Path, log: Log) -> None:
    packages = apt.debian13(cache)
    for part in ("bin", "lib", "mended", "unmended"):
        (target / part).mkdir(parents=True)
    firmware = []
    for i, (package, path) in enumerate(FIRMWARE.items()):
        # links within a package stay: where they lead to another one's file, that one's folder is searched, too
        shutil.copytree(packages.unpacked(cache, package, log) / path, target / f"firmware{i}", symlinks=True)
        firmware.append(f'-L "$here/firmware{i}"')
    for name, of in PROGRAMS.items():
        for inside, path in programs.with_libraries(cache, {"program": of}, log, packages):
            place = target / "unmended" / name if inside == "program" else target / "lib" / Path(inside).name
            if not place.exists():
                shutil.copyfile(path.resolve(), place)
                place.chmod(0o755)
        _mend(target / "unmended" / name, target / "mended" / name, log)
        script = target / "bin" / name
        script.write_text(START.format(loader=LOADER, name=name, firmware=" ".join(firmware)), encoding="utf-8")
        script.chmod(0o755)
        if version(str(script)) != int(VERSION):
            raise ArtifactError(f"{name} of Debian 13 does not start, or is no QEMU {VERSION}")


def _mend(program: Path, copy: Path, log: Log) -> None:
    """A copy with those instructions changed that are known; a program that has none of them stays what it is."""
    spots = mend.find(program) if program.name == mend.PROGRAM else ()
    if not spots:
        copy.symlink_to(f"../{program.parent.name}/{program.name}")
        return
    image = bytearray(program.read_bytes())
    for spot in spots:
        image[spot.offset : spot.offset + len(spot.new)] = spot.new
    copy.write_bytes(image)
    copy.chmod(0o755)
    log(f"{program.name}: {len(spots)} of {len(mend.FAULTS)} known faults are mended in the copy")
