# SPDX-License-Identifier: MIT
"""picolibc, the C library of processes: built by its own meson from the sources that a Python package brings."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from .error import ArtifactError
from .machines import Machine
from .store import Log, key, publish, recipe

PACKAGE = "pythondata-software-picolibc"
# Frame pointers, because who explains a stopped program follows them; no unwind tables, which would be loaded with it.
# A frame of more than a page is touched page by page, so that none reaches over the page below a stack; gcc 12 does not know how on RISC-V.
PROBES = "-fstack-clash-protection"
CODE = ("-fPIE", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-stack-protector")
CROSS = """[binaries]
c = ['{prefix}gcc', '-nostdlib']
ar = '{prefix}ar'
as = '{prefix}as'
nm = '{prefix}nm'
strip = '{prefix}strip'
[host_machine]
system = 'none'
cpu_family = '{name}'
cpu = '{name}'
endian = 'little'
[properties]
skip_sanity_check = true
needs_exe_wrapper = true
[built-in options]
c_args = {arguments}
"""
# errno and the like are _Thread_local; start-up code, sbrk() and the console are user/'s; so is the lock (see finish()).
OPTIONS = (
    "--prefix=/",
    "--buildtype=minsize",
    "-Dincludedir=include",
    "-Dlibdir=lib",
    "-Ddebug=false",
    "-Db_pie=true",
    "-Db_staticpic=false",
    "-Dmultilib=false",
    "-Dpicocrt=false",
    "-Dpicolib=false",
    "-Dsemihost=false",
    "-Dspecsdir=none",
    "-Dtests=false",
    "-Dtinystdio=true",
    "-Dio-long-long=true",
    "-Dthread-local-storage=true",
    "-Dtls-model=local-exec",
    "-Dnewlib-initfini=false",
)


def sources() -> Path:
    """Where the package has them."""
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if not found or not found.submodule_search_locations:
        raise ArtifactError(f"the Python package {PACKAGE} is missing: run ./amalgam setup")
    return Path(found.submodule_search_locations[0]) / "data"


def compiler(machine: Machine) -> str:
    """The version that the cache depends on."""
    gcc = machine.tool("gcc")
    try:
        return subprocess.run([gcc, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError) as error:
        raise ArtifactError(f"{gcc} is missing: run ./amalgam setup") from error


def build(cache: Path, log: Log, machine: Machine) -> Path:
    """A folder with include/ and lib/libc.a, lib/libm.a."""
    source = sources()
    release = importlib.metadata.version(PACKAGE)

    def make(target: Path) -> None:
        log(f"building picolibc {release} for {machine.title} (once, about a minute)")
        work = target.parent
        arguments = [*CODE, *machine.code, f"-ffile-prefix-map={source}/="]
        (work / "cross.txt").write_text(
            CROSS.format(arguments=arguments, name=machine.family or machine.name, prefix=machine.prefix), encoding="utf-8"
        )
        tools = Path(sys.executable).parent
        ninja = str(tools / "ninja")
        env = os.environ | {"DESTDIR": str(target), "NINJA": ninja}
        meson = [sys.executable, "-m", "mesonbuild.mesonmain", "setup", str(work / "build"), str(source)]
        for step in (
            [*meson, "--cross-file", str(work / "cross.txt"), *OPTIONS, *machine.library],
            [ninja, "-C", str(work / "build"), "install"],
        ):
            done = subprocess.run(step, capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise ArtifactError(f"picolibc does not build:\n{(done.stdout + done.stderr)[-2000:]}")
        finish(target / "lib", machine)

    name = f"picolibc-{machine.name}-{key(recipe(__file__), release, compiler(machine), CROSS, *CODE, *machine.code, *OPTIONS, *machine.library)}"
    return publish(Path(cache), name, make)


def finish(lib: Path, machine: Machine) -> None:
    """Take out the lock that does nothing where there is one of ours: else the linker might find it first."""
    ar = machine.tool("ar")
    members = subprocess.run([ar, "t", lib / "libc.a"], capture_output=True, text=True, check=True).stdout.split()
    locks = [name for name in members if name.endswith("misc_lock.c.o")]
    if len(locks) != 1:
        raise ArtifactError(f"picolibc's libc.a has {len(locks)} members that are its lock")
    if machine.own_lock:
        subprocess.run([ar, "d", lib / "libc.a", *locks], check=True)
    for path in lib.iterdir():
        if path.name not in ("libc.a", "libm.a"):
            path.unlink()
