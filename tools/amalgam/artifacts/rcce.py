# SPDX-License-Identifier: MIT
"""What programs of the SCC are made with. Native ones: picolibc for a P54C, user/rcce/ or user/openmp/, and the compiler's words that go
with them. Processes: their own tree (process.py), with user/rcce/ in it."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import kernel_headers, picolibc, process
from .error import ArtifactError
from .machines import MACHINES, P54C, P54C_THREADS, Machine
from .process import CODE, NAMES, OWN, ROOT
from .store import Log, key, publish, recipe

STACK_MOST = 2 << 20  # bytes of a thread's stack (system/natives.py)
# Of user/stdio: what needs no lock. With user/native/stdio.c it is in the C library, in place of REPLACED.
STDIO = ("arguments", "conversion", "digits", "float", "format", "number", "reader", "round", "strtod")
REPLACED = {"tinystdio": ("fflush", "strtod", "strtof", "strtold", "vfprintf")}
LINK = (
    "-nostdlib",
    "-static-pie",
    "-Wl,--no-warn-rwx-segments",
    "-Wl,--gc-sections",
    "-Wl,--build-id=none",
    "-Wl,-z,norelro",
    "-Wl,-z,noexecstack",
)


@dataclass(frozen=True)
class Runtime:
    """One of the libraries that a native program can be linked with; `archive` is its file as -l names it."""

    name: str
    archive: str
    machine: Machine
    code: tuple[str, ...] = ()  # for programs
    link: tuple[str, ...] = ()
    small: tuple[str, ...] = ()  # its sources that run at the begin, at the end or after an error only: bytes count there, not instructions

    def speed(self, source: Path) -> str:
        """What gcc is to optimize for."""
        return "-Os" if source.stem in self.small or source.parent.name == "stdio" else "-O2"

    def folder(self) -> Path:
        return ROOT / "user" / self.name


RCCE = Runtime("rcce", "rcce", P54C, small=("clock", "console", "core", "error", "heap", "meet", "memory", "power", "shared", "start"))
# gcc itself links -lgomp as the file libgomp.spec says, which it looks for in -B.
# A frame that no stack holds is an error.
STACKS = (picolibc.PROBES, f"-Werror=frame-larger-than={STACK_MOST}")
OPENMP = Runtime("openmp", "gomp", P54C_THREADS, ("-fopenmp", "-fno-inline-atomics", *STACKS), ("-B{lib}/",))


def toolchain(cache: Path, log: Log, runtime: Runtime = RCCE) -> Path:
    """The tree: include/, lib/ with entry.o, the runtime's archive and the C library, program.lds."""
    library = picolibc.build(cache, log, runtime.machine)
    folder = runtime.folder()
    shared = *sorted((ROOT / "user/native").glob("*.c")), *(ROOT / f"user/stdio/{name}.c" for name in STDIO)
    sources = sorted((*folder.glob("*.c"), *folder.glob("start/*.[cS]"), *shared))
    others = (
        [path for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".lds", ".spec")]
        + [*kernel_headers.HEADERS.values()]
        + [
            ROOT / "user/lib/initializers.h",
            *(path for name in ("native", "stdio") for path in sorted((ROOT / "user" / name).glob("*.[hS]"))),
        ]
    )

    def make(target: Path) -> None:
        log(f"compiling user/{runtime.name}/")
        shutil.copytree(library, target)
        process.take_out(target / "lib", P54C, REPLACED)
        if (folder / "include").is_dir():
            shutil.copytree(folder / "include", target / "include", dirs_exist_ok=True)
        for path in (path for path in others if path.suffix in (".lds", ".spec")):
            shutil.copy(path, target / "lib")
        headers = kernel_words(target.parent / "headers", runtime)
        words = [P54C.tool("gcc"), *OWN, "-fwrapv", *compile_words(target), *headers]
        objects = []
        for source in sources:
            made = target / "lib" / f"{source.stem}.o"
            assert made not in objects, f"{source} would take the place of another one's object"
            done = subprocess.run([*words, runtime.speed(source), "-c", "-o", str(made), str(source)], capture_output=True, text=True)
            if done.returncode:
                raise ArtifactError(f"{source.name} does not compile:\n{done.stderr}")
            objects += [made] if source.suffix == ".c" else []
        replacing = [made for made in objects if made.stem in (*STDIO, "stdio")]
        for archive, members in (("c", replacing), (runtime.archive, [made for made in objects if made not in replacing])):
            subprocess.run([P54C.tool("ar"), "rsD", target / f"lib/lib{archive}.a", *members], check=True, capture_output=True)
        for made in objects:
            made.unlink()

    name = f"{runtime.name}-{key(recipe(__file__), library.name, picolibc.compiler(P54C), *sources, *others)}"
    return publish(Path(cache), name, make)


def kernel_words(folder: Path, runtime: Runtime = RCCE) -> list[str]:
    """For the runtime's own sources, with copies of the kernel's headers in `folder`."""
    return ["-I", str(runtime.folder()), "-I", str(runtime.folder() / "start"), *kernel_headers.words(folder)]


def process_toolchain(cache: Path, log: Log) -> Path:
    """The tree of processes' programs, with RCCE's headers and process/chip.h in include/, and lib/librcce.a."""
    machine = MACHINES["i386"]
    base, folder = process.toolchain(cache, log, machine), RCCE.folder()
    sources = sorted((*folder.glob("*.c"), *folder.glob("process/*.c")))
    headers = sorted(folder.rglob("*.h")) + [*kernel_headers.HEADERS.values()]

    def make(target: Path) -> None:
        log("compiling user/rcce/ for processes")
        shutil.copytree(base, target)
        shutil.copytree(folder / "include", target / "include", dirs_exist_ok=True)
        copies = target.parent / "headers"
        own = ["-I", str(folder), "-I", str(folder / "process"), *kernel_headers.words(copies)]
        shutil.copytree(copies / "process", target / "include/process")
        words = [machine.tool("gcc"), *OWN, process.FRAMES, "-fwrapv", *process.compile_words(target, machine), *own]
        objects = []
        for source in sources:
            objects.append(target / "lib" / f"{source.stem}.o")
            done = subprocess.run([*words, RCCE.speed(source), "-c", "-o", str(objects[-1]), str(source)], capture_output=True, text=True)
            if done.returncode:
                raise ArtifactError(f"{source.name} does not compile:\n{done.stderr}")
        subprocess.run([machine.tool("ar"), "crsD", target / "lib/librcce.a", *objects], check=True)
        for made in objects:
            made.unlink()

    return publish(Path(cache), f"rcce-process-{key(recipe(__file__), base.name, *sources, *headers)}", make)


def process_words(words: Sequence[str]) -> list[str]:
    """Those of a user, for a program of a process that is linked: its main() is called by user/rcce/process/."""
    return ["-Wl,--wrap=main,-u,__wrap_main", *words, "-lrcce"]


def compile_words(tree: Path, runtime: Runtime = RCCE) -> list[str]:
    """For every file that is compiled; the runtime's own files are as RCCE's programs."""
    own = subprocess.run([P54C.tool("gcc"), "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    return [*CODE, *P54C.code, *runtime.code, *NAMES, "-nostdinc", "-isystem", own, "-isystem", str(tree / "include")]


def link_words(tree: Path, runtime: Runtime = RCCE) -> tuple[list[str], list[str]]:
    """What stands before the objects, and what behind."""
    lib = tree / "lib"
    own = [word.format(lib=lib) for word in runtime.link]
    before = [*LINK, *own, *P54C.link, f"-Wl,-T,{lib / 'program.lds'}", f"-L{lib}", str(lib / "entry.o")]
    return before, ["-Wl,--start-group", f"-l{runtime.archive}", "-lc", "-lm", "-lgcc", "-Wl,--end-group"]
