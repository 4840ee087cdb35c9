# SPDX-License-Identifier: MIT
"""Chromium without a display, the machine's release's, unpacked with its libraries: a browser that looks at pages of boards. Nothing of it is
installed.

It starts itself again for its renderers, by the name of its file, so no loader can begin it as one begins Bochs: the machine's own does, and
the machine's C library is the one it has. It looks for what it needs beside itself.
"""

from __future__ import annotations

import os
from pathlib import Path

from . import apt, programs
from .store import Log, key, publish, recipe

PACKAGE, COMMON, FONTS = "chromium-headless-shell", "chromium-common", "fonts-dejavu-core"
FOLDER, PROGRAM = "usr/lib/chromium", "chromium-headless-shell"
OWN = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2")  # the machine's, of the loader's version
LOADED_LATER = {"libnss3": ("libsoftokn3.so", "libfreebl3.so", "libfreeblpriv3.so")}  # by name, while it runs
CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
"""


def folder(cache: Path, log: Log) -> Path:
    """A folder with the program and what it looks for beside it, its libraries and a font. ArtifactError."""
    packages, home = apt.MACHINE, Path(cache).resolve()
    packages.ask((PACKAGE, COMMON, FONTS))
    libraries = {
        Path(inside).name: path.resolve()
        for inside, path in programs.with_libraries(home, {"program": (PACKAGE, f"{FOLDER}/{PROGRAM}")}, log, packages)
        if inside.startswith("lib/") and Path(inside).name not in OWN
    }
    for package, names in LOADED_LATER.items():
        tree = packages.unpacked(home, package, log)
        libraries |= {name: (tree / programs.LIBRARY_DIRS[1] / name).resolve() for name in names}
    trees = [packages.unpacked(home, package, log).resolve() for package in (PACKAGE, COMMON, FONTS)]
    final = home / f"chromium-{key(recipe(__file__), *(tree.name for tree in trees), *sorted(map(str, libraries.values())))}"

    def make(target: Path) -> None:
        def link(place: str, to: Path) -> None:
            (target / place).symlink_to(os.path.relpath(to, (final / place).parent))

        (target / "libraries").mkdir(parents=True)
        for name, path in libraries.items():
            link(f"libraries/{name}", path)
        for tree in trees[:2]:
            for path in (tree / FOLDER).iterdir():
                if path.name != PROGRAM:
                    link(path.name, path)
        os.link(trees[0] / FOLDER / PROGRAM, target / PROGRAM)  # a program looks beside the file that a link leads to
        link("fonts", trees[2] / "usr/share/fonts/truetype/dejavu")

    return publish(home, final.name, make)


def command(made: Path, state: Path) -> list[str]:
    """The words that a command of this browser begins with; `made` is what folder() gave, `state` a folder for what it writes."""
    state.mkdir(parents=True, exist_ok=True)
    fonts = state / "fonts.conf"
    fonts.write_text(CONFIGURATION.format(fonts=made / "fonts"), encoding="utf-8")
    where = {name: str(state) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    where |= {"LD_LIBRARY_PATH": str(made / "libraries"), "FONTCONFIG_FILE": str(fonts)}
    words = ["env", *(f"{name}={value}" for name, value in where.items()), str(made / PROGRAM)]
    # Its sandbox of its own needs a user with rights to make one, and refuses root: the pages are those of our boards.
    return [*words, "--no-sandbox", "--disable-gpu", "--disable-background-networking", f"--user-data-dir={state / 'profile'}"]
