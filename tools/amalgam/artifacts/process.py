# SPDX-License-Identifier: MIT
"""What programs of processes are made with: picolibc and user/ as one tree, and the compiler's words that go with it."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import picolibc
from .error import ArtifactError
from .machines import USUAL, Machine
from .store import Log, key, publish, recipe

ROOT = Path(__file__).resolve().parents[3]
USER = ROOT / "user"
SHARED = (ROOT / "kernel/include/chacha.h",)  # what files of user/ include besides
CODE = (*picolibc.CODE, picolibc.PROBES, "-ffunction-sections", "-fdata-sections", "-ftls-model=local-exec")
# A process is no Linux program; and what of POSIX there is.
NAMES = ("-U__linux__", "-U__linux", "-Ulinux", "-U__gnu_linux__", "-D__amalgam__=1")
POSIX = tuple(
    f"-D_POSIX_{name}=200809L"
    for name in (
        *("BARRIERS", "CLOCK_SELECTION", "MONOTONIC_CLOCK", "READER_WRITER_LOCKS", "SEMAPHORES", "SPIN_LOCKS", "THREADS"),
        *("THREAD_ATTR_STACKADDR", "THREAD_ATTR_STACKSIZE", "TIMEOUTS", "TIMERS"),
    )
)
LINK = (
    "-nostdlib",
    "-static-pie",
    "-Wl,--gc-sections",
    "-Wl,--build-id=sha1",
    "-Wl,-z,norelro",
    "-Wl,-z,noexecstack",
    "-Wl,-z,max-page-size=4096",
)
# libnanvix: what its programs are compiled with, before their own words, and the folders of user/nanvix/ of each of its ways of waiting.
NANVIX = ("-std=gnu99", "-fno-builtin")
WAITS = {"sleep": ("sleep",), "spin": ("spin",), "remote": ("sleep", "remote")}
OWN = ("-std=gnu17", "-Os", "-Wall", "-Wextra", "-Werror", f"-ffile-prefix-map={ROOT}/=")
# What user/stdio and user/lib have instead of picolibc's.
REPLACED = {
    "tinystdio": (
        *("bufio", "clearerr", "fclose", "fdopen", "feof", "ferror", "fflush", "fgetc", "fgets", "fileno", "fmemopen", "fopen", "fputc"),
        *("fputs", "fread", "freopen", "fseek", "fseeko", "ftell", "ftello", "fwrite", "getchar", "perror", "posixiob", "putchar", "puts"),
        *("mktemp", "rewind", "setvbuf", "sflags", "strtod", "strtof", "strtold", "ungetc", "vfprintf", "vfscanf"),
    ),
    "stdlib": (
        *("pico-atexit", "pico-cxa-atexit", "pico-onexit", "rand", "random", "srand", "srandom", "drand48", "erand48", "jrand48"),
        *("lcong48", "lrand48", "mrand48", "nrand48", "rand48", "seed48", "srand48", "wcstoimax", "wcstol", "wcstoll", "wcstoul"),
        *("wcstoull", "wcstoumax"),
    ),
    "posix": ("fnmatch",),
    "signal": ("signal",),
}
# Functions of picolibc's that user/lib calls from its own of the name.
RENAMED = ("iconv_open", "setenv")
FRAMES = "-g1"  # tells gdb who called whom; none of it is in a process's memory


def toolchain(cache: Path, log: Log, machine: Machine = USUAL) -> Path:
    """The tree: include/, lib/ with entry.o, libamalgam.a and the C library, process.lds; headers/ with what stands before the C
    library's; c++/ with headers that stand before g++'s; nanvix/ with the headers of user/nanvix/, whose libraries are in lib/."""
    library = picolibc.build(cache, log, machine)
    library_of = [runtime(machine)] if machine.runtime else []  # its path has the compiler's version
    files = sorted(
        path
        for path in USER.rglob("*")
        if (path.suffix in (".c", ".h", ".S", ".lds") or (path.is_file() and USER / "c++" in path.parents))
        and not {"programs", "rcce", "openmp", "net", "servers", "shell"} & set(path.relative_to(USER).parts)
    )

    def make(target: Path) -> None:
        log("compiling user/")
        shutil.copytree(library, target)
        shutil.copytree(USER / "include", target / "include", dirs_exist_ok=True)
        shutil.copytree(USER / "headers", target / "headers")
        take_out(target / "lib", machine, REPLACED, RENAMED)
        shutil.copy(USER / "process.lds", target / "lib")
        shutil.copytree(USER / "nanvix/include", target / "nanvix")
        shutil.copytree(USER / "c++", target / "c++")
        own = USER / (machine.folder or machine.name)
        for source in own.glob("*.S"):
            compile_file(source, target / "lib" / f"{source.stem}.o", target, machine)
        archive("amalgam", target, machine, USER / "lib", USER / "files", USER / "stdio", own)
        archive("9p", target, machine, USER / "p9")
        archive("nanvix", target, machine, USER / "nanvix/lib")
        for how, folders in WAITS.items():
            archive(f"nanvix-{how}", target, machine, *(USER / "nanvix" / folder for folder in folders))
        for name in ("libpthread.a", "librt.a"):  # for who names them
            subprocess.run([machine.tool("ar"), "crsD", target / "lib" / name], check=True)
        if machine.runtime:
            shutil.copy(library_of[0], target / "lib/libgcc.a")

    name = f"process-{machine.name}-{key(recipe(__file__), library.name, picolibc.compiler(machine), *library_of, *SHARED, *files)}"
    return publish(Path(cache), name, make)


def take_out(lib: Path, machine: Machine, replaced: Mapping[str, Sequence[str]], renamed: Sequence[str] = ()) -> None:
    """Take out of the C library what user/ has in its place, where its members would find each other first, and let what it has besides
    be called picolibc_NAME."""
    members = (f"libc_{part}_{name}.c.o" for part, names in replaced.items() for name in names)
    subprocess.run([machine.tool("ar"), "d", "libc.a", *members], cwd=lib, check=True)
    names = [f"--redefine-sym={name}=picolibc_{name}" for name in renamed]
    if names:
        subprocess.run([machine.tool("objcopy"), "-D", *names, "libc.a"], cwd=lib, check=True)


def runtime(machine: Machine) -> str:
    """The compiler's library that it lacks."""
    try:
        done = subprocess.run([*machine.runtime, "-print-libgcc-file-name"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ArtifactError(f"{machine.runtime[0]} is missing: run ./amalgam setup") from error
    return done.stdout.strip()


def compile_file(source: Path, made: Path, tree: Path, machine: Machine) -> None:
    words = [
        machine.tool("gcc"),
        *OWN,
        FRAMES,
        *compile_words(tree, machine),
        "-isystem",
        str(tree / "nanvix"),
        "-c",
        "-o",
        str(made),
        str(source),
    ]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise ArtifactError(f"{source.relative_to(USER)} does not compile:\n{done.stderr}")


def archive(name: str, tree: Path, machine: Machine, *folders: Path) -> None:
    """lib/libNAME.a of all C files of some folders."""
    with tempfile.TemporaryDirectory(dir=tree) as work:
        objects = []
        for source in sorted(source for folder in folders for source in folder.glob("*.c")):
            objects.append(Path(work) / f"{source.stem}.o")
            assert objects.count(objects[-1]) == 1, f"{source} would take the place of another one's object"
            compile_file(source, objects[-1], tree, machine)
        subprocess.run([machine.tool("ar"), "crsD", tree / f"lib/lib{name}.a", *objects], check=True)


def compile_words(tree: Path, machine: Machine = USUAL, nanvix: str = "") -> list[str]:
    """For every file that is compiled; `nanvix`, if not "", is one of WAITS: a program of libnanvix."""
    own = subprocess.run([machine.tool("gcc"), "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    headers = ["-isystem", str(tree / "nanvix"), *NANVIX] if nanvix else []
    trees = [word for folder in ("headers", "include") for word in ("-isystem", str(tree / folder))]
    return [*CODE, *machine.code, *NAMES, *POSIX, "-nostdinc", "-isystem", own, *headers, *trees]


def link_words(tree: Path, machine: Machine = USUAL, nanvix: str = "") -> tuple[list[str], list[str]]:
    """What stands before the objects, and what behind."""
    lib = tree / "lib"
    before = [*LINK, *machine.link, f"-Wl,-T,{lib / 'process.lds'}", f"-L{lib}", str(lib / "entry.o")]
    libraries = [f"-lnanvix-{nanvix}", "-lnanvix"] if nanvix else []
    libraries += ["-lnet", "-llwip"] if (lib / "libnet.a").is_file() else []
    libraries += ["-llfs"] if (lib / "liblfs.a").is_file() else []
    return before, ["-Wl,--start-group", *libraries, "-l9p", "-lamalgam", "-lc", "-lm", "-lgcc", "-Wl,--end-group"]
