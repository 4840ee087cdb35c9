# SPDX-License-Identifier: MIT
"""Our Linux modules, built against the headers of the very kernel that the guest runs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import apt, kernel
from .error import ArtifactError
from .store import Log, key, publish, recipe

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "linux/tunnel"
PROTOCOL = ROOT / "guests/include/tunnel.h"
GENERATOR = ROOT / "tools/amalgam/api/generate.py"
CALLS = ROOT / "kernel/api/calls.yaml"


def headers(cache: Path, log: Log, meta: str = kernel.META) -> Path:
    """One tree in which modules build: the packages' parts point to each other by absolute paths, ours do not."""
    release = kernel.find(cache, log, meta).release
    flavour = apt.unpacked(cache, f"linux-headers-{release}", log)
    _, depends = apt.candidate(f"linux-headers-{release}")
    parts = [apt.unpacked(cache, d, log) for d in depends if d.startswith(("linux-headers-", "linux-kbuild-"))]
    common = next((p for p in parts if "-common" in p.name), None)
    kbuild = next((p for p in parts if p.name.startswith("linux-kbuild")), None)
    if common is None or kbuild is None:
        raise ArtifactError(f"linux-headers-{release} does not name its common and kbuild packages")

    def make(target: Path):
        target.mkdir()
        source = next((common / "usr/src").iterdir())
        build = next(p for p in (flavour / "usr/src").iterdir() if p.is_dir())
        shutil.copytree(source, target / "common", symlinks=True)
        shutil.copytree(build, target / "build", symlinks=True)
        for tree in ("common", "build"):
            for part in ("scripts", "tools"):
                link = target / tree / part
                if link.is_symlink() or not link.exists():
                    link.unlink(missing_ok=True)
                    real = next(kbuild.glob(f"usr/lib/linux-kbuild-*/{part}"))
                    link.symlink_to(os.path.relpath(real, final / tree))
        # One include line with an absolute path ties the flavour's Makefile to the common one.
        (target / "build/Makefile").write_text("include $(dir $(lastword $(MAKEFILE_LIST)))../common/Makefile\n")

    final = Path(cache) / f"headers-{key(recipe(__file__), flavour.name, *sorted(p.name for p in parts))}"
    return publish(Path(cache), final.name, make)


def build(cache: Path, log: Log) -> Path:
    """amalgam_tunnel.ko"""
    tree = headers(cache, log)
    files = sorted(p for p in SOURCES.iterdir() if p.name in ("Kbuild", "amalgam_tunnel.c"))

    def make(target: Path):
        log("compiling amalgam_tunnel.ko")
        work = target.parent / "module"
        work.mkdir()
        for path in files:
            shutil.copy(path, work)
        subprocess.run([sys.executable, GENERATOR, "guest", work / "amalgam_calls.h"], check=True)
        done = subprocess.run(
            ["make", "-C", str(tree / "build"), f"M={work}", "CC=gcc", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"],
            capture_output=True,
            text=True,
        )
        made = work / "amalgam_tunnel.ko"
        if done.returncode or not made.exists():
            raise ArtifactError(f"amalgam_tunnel.ko does not build:\n{(done.stdout + done.stderr)[-2000:]}")
        target.mkdir()
        shutil.copy(made, target)

    name = f"module-{key(recipe(__file__), *files, GENERATOR, CALLS, tree.name)}"
    return publish(Path(cache), name, make) / "amalgam_tunnel.ko"
