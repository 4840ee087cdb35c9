# SPDX-License-Identifier: MIT
"""Programs of processes in C++ and Rust: what the distribution's compilers of these have to be told beside what C needs.

C++ is g++'s, with its headers and without its library, exceptions and run-time types; user/c++ stands before its headers, user/lib/cxx.c
is its run time. Rust is rustc's with the `core` that comes with it: each FILE.rs becomes an archive that gcc links.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from amalgam.artifacts.machines import USUAL, Machine
from amalgam.errors import UserError

CXX = (".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP")
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


# What g++ or the linker says, what is missing then, and what to do.
EXCEPTIONS = "exceptions of C++, which need libstdc++ and an unwinder: a process has neither"
RETURN = "return errors instead, and leave out -fexceptions: docs/programs.md, C++"
MISSING = (
    (r"exception handling disabled", EXCEPTIONS, RETURN),
    (r"undefined reference to [`'](?:__cxa_\w*(?:throw|catch|exception)\w*|_Unwind_\w+|__gxx_personality\w*)", EXCEPTIONS, RETURN),
    (r"with [‘'\"]?-fno-rtti", "types at run time, which a process has not", "use a virtual function instead: docs/programs.md, C++"),
    (
        r"undefined reference to [`'](?:__dynamic_cast|.*__cxxabiv1::)",
        "types at run time, which need libstdc++: a process has it not",
        "leave out -frtti, and use a virtual function instead: docs/programs.md, C++",
    ),
    (
        r"undefined reference to [`']((?:vtable for |typeinfo for )?(?:non-virtual thunk to )?std::.+?)'",
        "'{0}' of libstdc++, of which a process has the headers only",
        "use what is a template, or POSIX: docs/programs.md, C++",
    ),
)


def missing(said: str) -> UserError | None:
    """What of C++ a program needs that processes have not, by the messages of g++ and the linker."""
    for pattern, what, step in MISSING:
        if found := re.search(pattern, said):
            return UserError(f"the program needs {what.format(*found.groups())}", step)
    return None


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
