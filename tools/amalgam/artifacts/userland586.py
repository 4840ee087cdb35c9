# SPDX-License-Identifier: MIT
"""The userland of Linux for a Pentium of 1994: busybox and our test programs.

Debian's C library for i386 has instructions of later processors, and so has the compiler's own: programs are linked with
musl, built here, and with divisions of our own.
"""

import os
from pathlib import Path

from amalgam import proc

from . import apt, kernel_headers
from .linuxbuild import build_busybox, make, need, unpack
from .store import Log, key, publish, recipe
from .userland import pack_userland

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "guests/linux586"
BUSYBOX = (ROOT / "guests/linux40x/busybox.config", HERE / "busybox.config")
CROSS = "i686-linux-gnu-"
COMPILER = (CROSS + "gcc", "gcc-i686-linux-gnu")
TARGET = ("ARCH=i386", f"CROSS_COMPILE={CROSS}")
CODE = ["-march=pentium", "-Os", "-fcf-protection=none", "-fno-stack-protector"]
CFLAGS = [*CODE, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-s", "-Wl,--build-id=none"]
RCCE = ROOT / "user/rcce"
RCCE_PROGRAMS = ("pingpong", "stencil")
RCCE_FOLDERS = (RCCE / "include", RCCE, RCCE / "process")
KERNEL_HEADERS = Path("/usr/i686-linux-gnu/include")  # beside the C library's of the cross compiler


def library(cache: Path, log: Log) -> Path:
    """musl in a folder with its headers, and `cc`: the compiler that links with it and with our divisions."""
    archive, division = apt.source(cache, "musl", log), HERE / "divide.c"

    def build(target: Path):
        need(*COMPILER)
        tree = target.parent / "source"
        unpack(archive, tree)
        log("building the C library for Linux on the Pentium (once)")
        flags = {"CC": COMPILER[0], "AR": f"{CROSS}ar", "RANLIB": f"{CROSS}ranlib", "CFLAGS": " ".join(CODE)}
        words = ["--target=i386", "--disable-shared", "--disable-gcc-wrapper", f"--prefix={target}"]
        proc.run([tree / "configure", *words], "configuring musl", tree, env=os.environ | flags)
        make(tree, "building musl", log, 0, (), "install")
        proc.run([COMPILER[0], *CODE, "-c", "-o", target / "lib/divide.o", division], "compiling divisions")
        for name in ("linux", "asm", "asm-generic"):
            (target / "include" / name).symlink_to(KERNEL_HEADERS / name)

    return publish(Path(cache), f"musl586-{key(recipe(__file__), archive.name, division)}", build)


def compiler(folder: Path, library: Path) -> Path:
    """A wrapper of the compiler in `folder`, which makes static programs with the library, and nothing of the compiler's own but its headers."""
    own = proc.run([COMPILER[0], "-print-file-name=include"], "asking the compiler for its headers").strip()
    lib = library / "lib"
    link = f"-nostdlib -static -L{lib} {lib}/crt1.o {lib}/crti.o"
    words = " ".join(CODE)
    wrapper = folder / "cc"
    wrapper.write_text(
        f"""#!/bin/sh
set -- {words} -nostdinc -isystem {library}/include -isystem {own} "$@"
for word; do
    case $word in -c | -S | -E | -M* | -r | -print*) exec {COMPILER[0]} "$@" ;; esac
done
exec {COMPILER[0]} {link} "$@" -Wl,--start-group {lib}/libc.a {lib}/divide.o -Wl,--end-group {lib}/crtn.o
""",
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    return wrapper


def busybox(cache: Path, log: Log) -> Path:
    """A static busybox for the Pentium."""
    archive, with_library = apt.source(cache, "busybox", log), library(cache, log)

    def build(target: Path):
        need(*COMPILER)
        machine = (*TARGET, f"CC={compiler(target.parent, with_library)}")
        config = target.parent / "busybox.config"
        config.write_text("".join(part.read_text(encoding="utf-8") for part in BUSYBOX), encoding="utf-8")
        build_busybox(target, archive, config, machine, "busybox for the Pentium", log)

    return publish(Path(cache), f"busybox586-{key(recipe(__file__), *BUSYBOX, archive.name, with_library.name)}", build)


def program(cache: Path, source: Path, log: Log) -> Path:
    """One of our programs for Linux on the Pentium, static."""
    with_library = library(cache, log)

    def build(target: Path):
        log(f"compiling {source.name}")
        proc.run([compiler(target.parent, with_library), *CFLAGS, "-o", target, source], f"compiling {source.name}")

    return publish(Path(cache), f"program586-{source.stem}-{key(recipe(__file__), source, with_library.name)}", build)


def rcce_program(cache: Path, name: str, log: Log) -> Path:
    """A program for RCCE of user/rcce/programs, for a Linux that is one of its cores."""
    with_library, source = library(cache, log), RCCE / f"programs/{name}.c"
    process = [RCCE / f"process/{part}.c" for part in ("process", "lazy")]
    sources = [source, *sorted(RCCE.glob("*.c")), *process, *sorted((RCCE / "linux").glob("*.c"))]
    headers = [*sorted(RCCE.rglob("*.h")), *sorted((ROOT / "user/numeric").glob("*.h")), *kernel_headers.HEADERS.values()]

    def build(target: Path):
        log(f"compiling {source.name} for RCCE in Linux")
        folders = [word for part in RCCE_FOLDERS for word in ("-I", part)]
        words = [*folders, *kernel_headers.words(target.parent / "headers"), "-O2", "-fwrapv", "-Wl,--wrap=main"]
        words += ["-ffunction-sections", "-Wl,--gc-sections"]
        proc.run([compiler(target.parent, with_library), *CFLAGS, *words, "-o", target, *sources], f"compiling {source.name}")

    return publish(Path(cache), f"rcce586-{name}-{key(recipe(__file__), *sources, *headers, with_library.name)}", build)


def initrd(cache: Path, log: Log) -> Path:
    """A shell, its tools, and every program of guests/linux586."""
    shell = busybox(cache, log)
    programs = {source.stem: program(cache, source, log) for source in sorted(HERE.glob("*.c")) if source.stem != "divide"}
    programs |= {name: rcce_program(cache, name, log) for name in RCCE_PROGRAMS}
    init = HERE / "init"

    def build(target: Path):
        log("packing the initrd")
        pack_userland(target, init, shell, programs)

    return publish(Path(cache), f"initrd586-{key(recipe(__file__), init, shell.name, *(p.name for p in programs.values()))}.cpio", build)
