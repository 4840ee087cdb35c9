# SPDX-License-Identifier: MIT
"""Bochs 2.7, Debian 12's, unpacked with its libraries: an interpreter of x86 that shares no code with QEMU. Nothing of it is installed.

Its debugger has a window, made with GTK, whose hundred packages nobody would see: boards have no display. Each function of it that the
program names is one here that ends the program.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile

from amalgam.emulator import bochs_vmlaunch, bochs_vmrun

from . import apt
from .error import ArtifactError
from .store import Log, key, publish, recipe

PACKAGES = ("bochs", "bochsbios", "vgabios", "libltdl7", "libsamplerate0", "libreadline8", "libtinfo6", "libc6", "libgcc-s1", "libstdc++6")
LIBRARIES = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
WINDOW = ("libgtk-3.so.0", "libgdk-3.so.0", "libpango-1.0.so.0", "libgobject-2.0.so.0", "libglib-2.0.so.0")
FUNCTION = re.compile(r"(?:gtk|gdk|pango|g)_\w+")
PROGRAM, PLUGINS = "usr/bin/bochs-bin", "usr/lib/x86_64-linux-gnu/bochs/plugins"
FIRMWARE = {"bios": ("bochsbios", "usr/share/bochs/BIOS-bochs-latest"), "vgabios": ("vgabios", "usr/share/vgabios/vgabios.bin")}


def window_functions(program: Path) -> list[str]:
    """Those functions of the debugger's window that the program calls."""
    with program.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        return sorted({s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF" and FUNCTION.fullmatch(s.name)})


def _without_window(program: Path, folder: Path) -> None:
    """The window's libraries in `folder`: one has the functions, the others are its names."""
    if shutil.which("gcc") is None:
        raise ArtifactError("gcc is missing: run `./amalgam setup`")
    source = "".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in window_functions(program))
    words = ["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", str(folder / WINDOW[0])]
    done = subprocess.run(words, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ArtifactError(f"the library instead of GTK does not compile:\n{done.stderr}")
    for name in WINDOW[1:]:
        (folder / name).symlink_to(WINDOW[0])


def _program(original: Path, target: Path, log: Log) -> None:
    """A copy whose entries of guests are mended; of a Bochs that has others as it is."""
    data = original.read_bytes()
    for instruction, mended in (("VMRUN", bochs_vmrun.mended), ("VMLAUNCH", bochs_vmlaunch.mended)):
        if (better := mended(data)) is None:
            log(f"{instruction} of this Bochs is not the one that is known and mended: guests may not be preempted there")
        data = better or data
    target.write_bytes(data)
    target.chmod(0o755)


def folder(cache: Path, log: Log) -> Path:
    """A folder with the program, its libraries and plugins, `bios` and `vgabios`. ArtifactError."""
    packages = apt.debian12(cache)
    packages.ask(PACKAGES)
    trees = {name: packages.unpacked(cache, name, log).resolve() for name in PACKAGES}
    final = Path(cache).resolve() / f"bochs-{key(recipe(__file__), *sorted(tree.name for tree in trees.values()))}"

    def make(target: Path) -> None:
        def link(place: str, to: Path) -> None:
            if not (target / place).is_symlink():
                (target / place).symlink_to(os.path.relpath(to, (final / place).parent))

        (target / "libraries").mkdir(parents=True)
        for tree, place in itertools.product(trees.values(), LIBRARIES):
            for path in sorted((tree / place).glob("*.so*")):
                link(f"libraries/{path.name}", path.resolve())
        _without_window(trees["bochs"] / PROGRAM, target / "libraries")
        _program(trees["bochs"] / PROGRAM, target / "program", log)
        link("plugins", trees["bochs"] / PLUGINS)
        for name, (package, path) in FIRMWARE.items():
            link(name, trees[package] / path)

    return publish(cache, final.name, make)


def command(made: Path) -> list[str]:
    """The words that a command of this emulator begins with; `made` is what folder() gave."""
    loader = made / "libraries" / "ld-linux-x86-64.so.2"
    return ["env", f"LTDL_LIBRARY_PATH={made / 'plugins'}", str(loader), "--library-path", str(made / "libraries"), str(made / "program")]
