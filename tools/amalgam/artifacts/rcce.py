# SPDX-License-Identifier: MIT
"""What native programs of the SCC are made with: picolibc for a P54C, user/rcce/, and the compiler's words that go with them."""

import shutil
import subprocess
from pathlib import Path

from . import picolibc
from .error import ArtifactError
from .machines import P54C
from .process import CODE, NAMES, OWN, ROOT
from .store import Log, key, publish

RCCE = ROOT / "user/rcce"
KERNEL = ROOT / "kernel"
# Headers of the kernel's that the library is compiled with.
HEADERS = ("include/native/calls.h", "include/hal/cache.h", "include/hal/mpbt.h", "cache/i386-marker/cache_ops.h")
LINK = (
    "-nostdlib",
    "-static-pie",
    "-Wl,--no-warn-rwx-segments",
    "-Wl,--gc-sections",
    "-Wl,--build-id=none",
    "-Wl,-z,norelro",
    "-Wl,-z,noexecstack",
)


def toolchain(cache: Path, log: Log) -> Path:
    """The tree: include/, lib/ with entry.o, librcce.a, libdivide.a and the C library, program.lds."""
    library = picolibc.build(cache, log, P54C)
    sources = sorted((*RCCE.glob("*.c"), *RCCE.glob("start/*.[cS]")))
    others = [path for path in sorted(RCCE.rglob("*")) if path.suffix in (".h", ".lds")] + [KERNEL / name for name in HEADERS]

    def make(target: Path) -> None:
        log("compiling user/rcce/")
        shutil.copytree(library, target)
        shutil.copytree(RCCE / "include", target / "include", dirs_exist_ok=True)
        shutil.copy(RCCE / "start/program.lds", target / "lib")
        words = [P54C.tool("gcc"), *OWN, "-O2", "-fwrapv", *compile_words(target), *kernel_words(target.parent / "headers")]
        objects = []
        for source in sources:
            made = target / "lib" / f"{source.stem}.o"
            done = subprocess.run([*words, "-c", "-o", str(made), str(source)], capture_output=True, text=True)
            if done.returncode:
                raise ArtifactError(f"{source.name} does not compile:\n{done.stderr}")
            objects += [made] if source.suffix == ".c" else []
        subprocess.run([P54C.tool("ar"), "crsD", target / "lib/librcce.a", *objects], check=True)
        for made in objects:
            made.unlink()

    name = f"rcce-{key(Path(__file__), library.name, picolibc.compiler(P54C), *sources, *others)}"
    return publish(Path(cache), name, make)


def kernel_words(folder: Path) -> list[str]:
    """The kernel's headers that programs share, and no others."""
    for name in HEADERS:
        place = folder / (Path(name).name if name.startswith("cache/") else name.removeprefix("include/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(KERNEL / name, place)
    return ["-I", str(RCCE), "-I", str(folder)]


def compile_words(tree: Path) -> list[str]:
    """For every file that is compiled."""
    own = subprocess.run([P54C.tool("gcc"), "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    return [*CODE, *P54C.code, *NAMES, "-nostdinc", "-isystem", own, "-isystem", str(tree / "include")]


def link_words(tree: Path) -> tuple[list[str], list[str]]:
    """What stands before the objects, and what behind."""
    lib = tree / "lib"
    before = [*LINK, *P54C.link, f"-Wl,-T,{lib / 'program.lds'}", f"-L{lib}", str(lib / "entry.o")]
    return before, ["-Wl,--start-group", "-lrcce", "-lc", "-lm", "-lgcc", "-Wl,--end-group"]
