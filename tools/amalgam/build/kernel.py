# SPDX-License-Identifier: MIT
"""Build the kernel of a shape by its own Makefile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from amalgam import paths, proc
from amalgam.build import kconfig
from amalgam.building import building
from amalgam.ui import Progress


@building()
def build_kernel(shape: str, progress: Progress, verbose: bool = False) -> Path:
    """Bring build/SHAPE/amalgam.elf up to date. UserError: its configuration does not mean what it says, or it does not compile."""
    make(shape, "all", progress, verbose)
    return paths.kernel_elf(shape)


@building()
def compile_kernel(shape: str, progress: Progress) -> None:
    """Bring its objects and their .d files up to date, and link nothing. UserError: as build_kernel()."""
    make(shape, "compiled", progress)


def make(shape: str, target: str, progress: Progress, verbose: bool = False) -> None:
    """Run kernel/Makefile for `target`."""
    progress(f"kernel ({shape})")
    kconfig.check(paths.ROOT / "config" / f"{shape}.config")
    jobs = f"-j{os.cpu_count() or 1}"
    words = ["make", "--no-print-directory", jobs, "-C", paths.ROOT / "kernel", f"SHAPE={shape}", f"PYTHON={sys.executable}", target]
    env = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    output = proc.run([*words, *(["V=1"] if verbose else [])], f"building the {shape} kernel", env=env)
    if verbose:
        print(output, end="", file=sys.stderr)


def menuconfig(shape: str) -> int:
    """Edit config/SHAPE.config on the terminal, by kconfiglib."""
    config = paths.ROOT / "config" / f"{shape}.config"
    env = os.environ | {"KCONFIG_CONFIG": str(config)}
    done = subprocess.run([sys.executable, "-m", "menuconfig", str(paths.ROOT / "kernel" / "Kconfig")], env=env, check=False)
    return done.returncode
