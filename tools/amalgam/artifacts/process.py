# SPDX-License-Identifier: MIT
"""What programs of processes are made with: picolibc and user/ as one tree, and the compiler's words that go with it."""

import shutil
import subprocess
from pathlib import Path

from . import picolibc
from .error import ArtifactError
from .machines import USUAL, Machine
from .store import Log, key, publish

ROOT = Path(__file__).resolve().parents[3]
USER = ROOT / "user"
CODE = (*picolibc.CODE, "-ffunction-sections", "-fdata-sections", "-ftls-model=local-exec")
# A process is no Linux program; and what of POSIX there is.
NAMES = ("-U__linux__", "-U__linux", "-Ulinux", "-U__gnu_linux__", "-D__amalgam__=1")
POSIX = tuple(f"-D_POSIX_{name}=200809L" for name in ("THREADS", "TIMERS", "MONOTONIC_CLOCK"))
LINK = (
    "-nostdlib",
    "-static-pie",
    "-Wl,--gc-sections",
    "-Wl,--build-id=sha1",
    "-Wl,-z,norelro",
    "-Wl,-z,noexecstack",
    "-Wl,-z,max-page-size=4096",
)
OWN = ("-std=gnu17", "-Os", "-Wall", "-Wextra", "-Werror", f"-ffile-prefix-map={ROOT}/=")


def toolchain(cache: Path, log: Log, machine: Machine = USUAL) -> Path:
    """The tree: include/, lib/ with entry.o, libamalgam.a and the C library, process.lds."""
    library = picolibc.build(cache, log, machine)
    files = sorted(path for path in USER.rglob("*") if path.suffix in (".c", ".h", ".S", ".lds") and path.parts[-2] != "programs")

    def make(target: Path) -> None:
        log("compiling user/")
        shutil.copytree(library, target)
        shutil.copytree(USER / "include", target / "include", dirs_exist_ok=True)
        shutil.copy(USER / "process.lds", target / "lib")
        objects = []
        for source in sorted((*USER.glob("lib/*.c"), *USER.glob(f"{machine.name}/*.S"))):
            made = target / "lib" / f"{source.stem}.o"
            words = [machine.tool("gcc"), *OWN, *compile_words(target, machine), "-c", "-o", str(made), str(source)]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                raise ArtifactError(f"{source.name} does not compile:\n{done.stderr}")
            objects += [made] if source.suffix == ".c" else []
        subprocess.run([machine.tool("ar"), "crsD", target / "lib/libamalgam.a", *objects], check=True)
        for made in objects:
            made.unlink()
        for name in ("libpthread.a", "librt.a"):  # for who names them
            subprocess.run([machine.tool("ar"), "crsD", target / "lib" / name], check=True)

    name = f"process-{machine.name}-{key(Path(__file__), library.name, picolibc.compiler(machine), *files)}"
    return publish(Path(cache), name, make)


def compile_words(tree: Path, machine: Machine = USUAL) -> list[str]:
    """For every file that is compiled."""
    own = subprocess.run([machine.tool("gcc"), "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    return [*CODE, *machine.code, *NAMES, *POSIX, "-nostdinc", "-isystem", own, "-isystem", str(tree / "include")]


def link_words(tree: Path, machine: Machine = USUAL) -> tuple[list[str], list[str]]:
    """What stands before the objects, and what behind."""
    lib = tree / "lib"
    before = [*LINK, *machine.link, f"-Wl,-T,{lib / 'process.lds'}", f"-L{lib}", str(lib / "entry.o")]
    return before, ["-Wl,--start-group", "-lamalgam", "-lc", "-lm", "-lgcc", "-Wl,--end-group"]
