# SPDX-License-Identifier: MIT
"""Compile what knows no instruction set (core/, lib/, ipc/, task/, proof/) for three that the tree has no port for: two of 32 bits, one of 64.

The stand-in headers are those of the unit tests. A warning is an error: a size, a pointer or a format that takes a long for
64 bits. So is a u64 cut down to a word unsaid, and a call that the compiler makes of itself and no library of a port brings."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from amalgam import paths, proc

FOLDERS = ("core", "lib", "ipc", "task", "proof")
RISCV, RISCV_PACKAGE = "riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu"
TARGETS = {
    "rv64": (RISCV, RISCV_PACKAGE, ["-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"]),
    "rv32": (RISCV, RISCV_PACKAGE, ["-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany"]),
    "i586": ("gcc", "gcc", ["-m32", "-march=pentium", "-mgeneral-regs-only", "-fno-pic"]),
}
FLAGS = [
    *[
        "-std=gnu11",
        "-ffreestanding",
        "-Os",
        "-Werror",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Wno-dangling-pointer",
        "-Wmissing-prototypes",
    ],
    *["-Wstrict-prototypes", "-Wvla", "-Wundef", "-fno-common", "-fno-strict-aliasing"],
]
STANDS_ON_PROCESSES = ("ipc/process.c",)  # which are none of these folders
WITHOUT_WINDOWS = ("awake.c",)  # says itself that it is for kernels that have none
NARROWS = ["--target=i586-none-elf", "-std=gnu11", "-ffreestanding", "-fsyntax-only", "-Wno-everything", "-Wshorten-64-to-32", "-Werror"]

# What gcc calls for 64 bits in two words, and for a bit scan: every port's compiler library has it. Atomic operations are not
# in this list: where the compiler calls for them the instruction set has none of that size.
COMPILER_LIBRARY = {f"__{name}" for name in ("udivdi3", "umoddi3", "udivmoddi4", "divdi3", "moddi3", "muldi3")}
COMPILER_LIBRARY |= {f"__{name}" for name in ("ashldi3", "lshrdi3", "ashrdi3", "clzsi2", "clzdi2")}
LINKER = re.compile(r"__(start|stop)_\w+|__initcalls_(start|end)")


def sources() -> list[Path]:
    """The files that are compiled for each of TARGETS."""
    found = {path for folder in FOLDERS for path in (paths.ROOT / "kernel" / folder).glob("*.c")}
    return sorted(found - {paths.ROOT / "kernel" / name for name in STANDS_ON_PROCESSES})


def includes(root: Path) -> list[str]:
    """Where the files and the stand-ins find each other; `root` is the tree."""
    return [f"-I{root / folder}" for folder in ("tests/host/include", "kernel/include", "kernel")]


def windows(source: Path) -> list[str]:
    """What kernel/Makefile says of windows, for a file that not every kernel has."""
    return ["-DSCHED_WINDOWS=0"] if source.name in WITHOUT_WINDOWS else []


def said(command: list[str | Path]) -> str:
    """What a compiler says of a file; empty if it likes it."""
    done = subprocess.run([str(word) for word in command], cwd=paths.ROOT, capture_output=True, text=True, check=False)
    return done.stderr.strip() or ("" if not done.returncode else f"{command[0]}: status {done.returncode}")


def compile_for(target: str, source: Path, folder: Path) -> str:
    """Compile one file into `folder`; what is wrong with it, or nothing."""
    compiler, package, flags = TARGETS[target]
    made = folder / f"{target}-{source.parent.name}-{source.stem}.o"
    wrong = said([proc.need(compiler, package), *flags, *FLAGS, *windows(source), *includes(paths.ROOT), "-c", source, "-o", made])
    if wrong:
        return f"{target}: {wrong}"
    wanted = {line.split()[-1] for line in proc.run(["nm", "-u", made], "reading symbols").splitlines() if line.strip()}
    strange = {name for name in wanted if name.startswith("__") and name not in COMPILER_LIBRARY and not LINKER.fullmatch(name)}
    return f"{target}: {paths.shown(source)} makes the compiler call {', '.join(sorted(strange))}" if strange else ""


def narrows(source: Path) -> str:
    """Where a u64 becomes a word without a cast."""
    return said([proc.need("clang", "clang"), *NARROWS, *windows(source), *includes(paths.ROOT), source])


def complaints(files: list[Path], folder: Path) -> list[str]:
    """What is wrong with these files for any of TARGETS; objects go to `folder`, which exists."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [pool.submit(compile_for, target, source, folder) for source in files for target in TARGETS]
        found += [pool.submit(narrows, source) for source in files]
        return [text for text in (job.result() for job in found) if text]
