# SPDX-License-Identifier: MIT
"""Programs of processes in C++ and Rust: what the distribution's compilers of these have to be told beside what C needs.

C++ is g++'s, with its headers and without its library, exceptions and run-time types; user/c++ stands before its headers, user/lib/cxx.c
is its run time. Rust is rustc's with the `core` that comes with it: each FILE.rs becomes an archive that gcc links.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from amalgam.artifacts.machines import USUAL, Machine
from amalgam.errors import UserError

CXX = (".cc", ".cpp", ".cxx", ".C")
RUST = ".rs"
CXX_WORDS = ("-fno-exceptions", "-fno-rtti", "-nostdinc++")
RUST_WORDS = (
    "--edition",
    "2021",
    "--crate-type",
    "staticlib",
    "-C",
    "panic=abort",
    "-C",
    "relocation-model=pic",
    "-C",
    "force-frame-pointers=yes",
)


@cache
def cxx_headers(machine: Machine) -> list[str]:
    """Where g++ has its own headers."""
    tool = machine.tool("g++")
    package = f"g++-{machine.prefix.removesuffix('-')}" if machine.prefix else "g++"
    if not shutil.which(tool):
        raise UserError(f"{tool} is missing, which compiles C++", f"sudo apt install {package}")
    done = subprocess.run([tool, "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True)
    listed = done.stderr.partition("#include <...> search starts here:")[2].partition("End of search list.")[0]
    return [line.strip() for line in listed.splitlines() if "c++" in line]


def cxx_words(tree: Path, machine: Machine = USUAL) -> list[str]:
    """For a file of C++, before the words of C."""
    if machine.bits == 32:
        raise UserError(f"there is no C++ for {machine.title}", "./amalgam cc --machine riscv64 program.cc -o program", 2)
    folders = [str(tree / "c++"), *cxx_headers(machine)]
    return [*CXX_WORDS, *(word for folder in folders for word in ("-isystem", folder))]


def compile_rust(source: str, words: Sequence[str], machine: Machine, target: Path) -> int:
    """FILE.rs as the archive `target`; of gcc's words -O and -g are rustc's as well. Returns its status."""
    if machine != USUAL:
        raise UserError(f"Rust is compiled for {USUAL.title} only", "leave out --machine", 2)
    if not shutil.which("rustc"):
        raise UserError("rustc is missing, which compiles Rust", "sudo apt install rustc")
    opt = ["-O"] if any(word.startswith("-O") and word != "-O0" for word in words) else []
    debug = ["-g"] if "-g" in words else []
    return subprocess.run(
        ["rustc", "--target", "x86_64-unknown-linux-gnu", *RUST_WORDS, *opt, *debug, source, "-o", str(target)], check=False
    ).returncode
