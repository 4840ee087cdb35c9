# SPDX-License-Identifier: MIT
"""Programs of processes: compiled by `amalgam cc`, and those of the tree that systems name as build:NAME.elf. What a user starts is in
user/programs, what a bench measures in bench/BENCH/programs, what only tests run in tests/programs."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from amalgam import paths
from amalgam.artifacts import linenoise, littlefs, net, process, rcce
from amalgam.artifacts.error import ArtifactError
from amalgam.artifacts.machines import USUAL, Machine
from amalgam.artifacts.store import key
from amalgam.build import languages
from amalgam.errors import UserError
from amalgam.system.program import examine_program
from amalgam.ui import Progress

SOURCES = [paths.ROOT / "user" / "programs", paths.ROOT / "tests" / "programs", *sorted(paths.BENCH.glob("*/programs"))]
INCLUDE = paths.BENCH / "include"  # what programs that are measured share
DRIVERS = paths.ROOT / "user" / "drivers"
FRAMES = [paths.ROOT / "user" / name for name in ("net/frames.h", "lib/bell.h")]  # what drivers and stacks hand over
MADE = paths.BUILD / "programs"
NUMERIC = paths.ROOT / "user" / "numeric"  # what parallel programs compute
SPOKEN = paths.ROOT / "guests" / "include"  # by guests, and by programs to them
STOPS_BEFORE_LINKING = ("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only")
TAKES_A_VALUE = ("-o", "-I", "-D", "-U", "-L", "-l", "-x", "-include", "-isystem", "-iquote", "-MF", "-MT", "-MQ", "-T", "-Xlinker", "-u")
# build:nanvix-NAME.elf, build:nanvix_spin-NAME.elf and build:nanvix_remote-NAME.elf are nanvix/NAME.c in one of SOURCES.
NANVIX = {"nanvix-": "sleep", "nanvix_spin-": "spin", "nanvix_remote-": "remote"}
SHELL = "shell-"  # build:shell-sh.elf is user/shell, build:shell-NAME.elf user/shell/tools/NAME.c: what the shell starts
CLUSTERS = "clusters"  # build:shell-clusters.elf is user/shell/clusters: the shell of a many-core (docs/servers.md)
SHELL_SOURCES = paths.ROOT / "user" / "shell"
# build:started-NAME.elf is build:NAME.elf for who starts it: it has what is piped to it, as `amalgam cc --shell` makes it. Which there are.
STARTED, STARTED_NAMES = "started-", ("hello", "rest", "spawned", "nanvix-greet")
SERVER = "server-"  # build:server-NAME.elf is user/servers/NAME/ and what the servers share: a server of a many-core (docs/servers.md)
SERVER_SOURCES = paths.ROOT / "user" / "servers"
# A program that another one may start has its files, and its console's input.
INHERITS = "-Wl,-u,amalgam_inherit"
NET = "net-"  # build:net-NAME.elf is NAME.c of user/net/programs or of net/ in SOURCES, a program with sockets
DISK = "disk-"  # build:disk-NAME.elf is NAME.c of user/disk/programs or of disk/ in SOURCES, one with files on a disk
RCCE = "rcce-"  # build:rcce-NAME.elf is NAME.c of user/rcce/programs or of rcce/ in SOURCES, for a process of an SCC
OURS = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", f"-ffile-prefix-map={paths.ROOT}/="]
STANDARD = {".c": ["-std=gnu17"], ".cc": ["-std=gnu++17"], ".rs": []}


# Where those programs are whose names begin so, and what they are compiled with that other ones are not.
FOLDERS = {
    **dict.fromkeys(NANVIX, [folder / "nanvix" for folder in SOURCES]),
    NET: [net.PROGRAMS, *(folder / "net" for folder in SOURCES)],
    DISK: [littlefs.PROGRAMS, *(folder / "disk" for folder in SOURCES)],
    RCCE: [rcce.RCCE.folder() / "programs", *(folder / "rcce" for folder in SOURCES)],
}
TREES: dict[str, Callable[[Path, Progress, Machine], Path]] = {
    NET: net.toolchain,
    DISK: littlefs.toolchain,
    RCCE: lambda cache, progress, _machine: rcce.process_toolchain(cache, progress),
}


def toolchain(progress: Progress, machine: Machine = USUAL, part: str = "") -> Path:
    """The C library and user/, made when they are not in the cache; `part`: with the network stack (NET), littlefs (DISK) or RCCE besides,
    which is for an SCC, whatever the machine."""
    try:
        return TREES.get(part, process.toolchain)(paths.CACHE, progress, machine)
    except ArtifactError as error:
        raise UserError(f"the C library of processes: {error}", "./amalgam doctor says what this machine lacks") from error


def inputs(words: Sequence[str]) -> list[str]:
    """The words that name files, not options."""
    return [word for i, word in enumerate(words) if not word.startswith("-") and not (i and words[i - 1] in TAKES_A_VALUE)]


def output(words: Sequence[str]) -> Path:
    """Where gcc puts what it links."""
    for i, word in enumerate(words):
        if word.startswith("-o"):
            return Path(word[2:] or "".join(words[i + 1 : i + 2]))
    return Path("a.out")


def discard(made: Path) -> None:
    """Leave no file that the kernel would refuse. What was named as the output and is none, such as /dev/null, is not ours to take away."""
    if made.is_file():
        made.unlink()


def run_gcc(command: Sequence[str], cxx: bool) -> int:
    """Run gcc, whose messages are the user's. Of C++ that fails for want of its library they are followed by what is missing."""
    if not cxx:
        return subprocess.run(command, check=False).returncode
    colors = ["-fdiagnostics-color=always"] if sys.stderr.isatty() else []
    done = subprocess.run([*command, *colors], stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    sys.stderr.write(done.stderr)
    sys.stderr.flush()
    if done.returncode and (error := languages.missing(re.sub(r"\x1b\[[\d;]*[mK]", "", done.stderr))):
        raise error
    return done.returncode


def compile_program(words: Sequence[str], tree: Path, machine: Machine = USUAL, nanvix: str = "") -> int:
    """Run gcc with a user's words, and before it rustc for what is Rust; their messages go where ours would. Returns the status. What was
    linked must be a program that the kernel would load. `nanvix`: see process.compile_words()."""
    cxx = languages.cxx_words(tree, machine) if any(word.endswith(languages.CXX) for word in inputs(words)) else []
    gcc = [machine.tool("gcc"), *cxx, *process.compile_words(tree, machine, nanvix)]
    rust = [word for word in inputs(words) if word.endswith(languages.RUST)]
    if any(word in STOPS_BEFORE_LINKING for word in words):
        if rust:
            raise UserError("a file of Rust is compiled and linked in one step", "leave out -c", 2)
        return run_gcc([*gcc, *words], bool(cxx))
    before, behind = process.link_words(tree, machine, nanvix)
    with tempfile.TemporaryDirectory(prefix="amalgam-cc-") as folder:
        made_of = {source: str(Path(folder) / f"lib{i}.a") for i, source in enumerate(rust)}
        for source, archive in made_of.items():
            if status := languages.compile_rust(source, words, machine, Path(archive)):
                return status
        if rust:  # main() is in an archive
            before += ["-Wl,-u,main"]
        status = run_gcc([*gcc, *before, *(made_of.get(word, word) for word in words), *behind], bool(cxx))
    if status == 0:
        made = output(words)
        if wrong := examine_program(made, machine).wrong:
            discard(made)
            raise UserError(f"what was linked is no program for a process: {wrong}", "leave out the option that changed how it is linked")
    return status


def nanvix_of(name: str) -> str:
    """How a program of the tree waits, by the beginning of its name; "": it is none of libnanvix."""
    if name == SHELL + CLUSTERS:
        return "sleep"
    name = name.removeprefix(STARTED)
    return next((how for start, how in NANVIX.items() if name.startswith(start)), "")


def part_of(name: str) -> str:
    """The beginning of a name that FOLDERS has; "": it has none of them."""
    return next((start for start in FOLDERS if name.startswith(start)), "")


def source_of(name: str) -> Path:
    """NAME's file; a C file's name if there is none."""
    if name.startswith(SHELL):
        tool = name.removeprefix(SHELL)
        return SHELL_SOURCES / ("main.c" if tool == "sh" else "clusters/main.c" if tool == CLUSTERS else f"tools/{tool}.c")
    if name.startswith(SERVER):
        return SERVER_SOURCES / name.removeprefix(SERVER) / "main.c"
    if name.startswith(STARTED):
        return source_of(name.removeprefix(STARTED))
    part = part_of(name)
    folders, suffixes = (FOLDERS[part], (".c",)) if part else ([*SOURCES, DRIVERS], STANDARD)
    files = [folder / f"{name.removeprefix(part)}{suffix}" for folder in folders for suffix in suffixes]
    return next((file for file in files if file.is_file()), files[0])


def sources_in(source: Path) -> list[Path]:
    """The sources of others that a program includes, as gateway_virtio.c does."""
    names = re.findall(r'^#include "(\S+\.c)"', source.read_text(encoding="utf-8"), re.MULTILINE)
    return [(source.parent / name).resolve() for name in names]


def words_for(name: str, source: Path) -> list[str | Path]:
    """How a program of the tree is compiled, and of which files. The shell's are files of a system, so they are as small as they can be."""
    if name.startswith(SERVER):
        sources = [*sorted(source.parent.glob("*.c")), *sorted(SERVER_SOURCES.glob("*.c"))]
        return [*STANDARD[source.suffix], *OURS, "-Os", *sources]
    if name.startswith(STARTED):
        return [*STANDARD[source.suffix], *OURS, "-Os", INHERITS, source]
    if not name.startswith(SHELL):
        return [*STANDARD[source.suffix], *OURS, source]
    sources = sorted(source.parent.glob("*.c")) if source.stem == "main" else [source]
    return [*STANDARD[source.suffix], *OURS, "-Os", "-g0", "-s", INHERITS, *sources]


def library_of(name: str, progress: Progress, tree: Path, machine: Machine) -> list[str | Path]:
    """What one program has besides: linenoise, where lines are typed."""
    try:
        return linenoise.words(paths.CACHE, progress, tree, machine) if name == SHELL + "sh" else []
    except ArtifactError as error:
        raise UserError(f"the shell's line editing: {error}", "./amalgam doctor says what this machine lacks") from error


def headers() -> list[Path]:
    """Those of the tree's programs."""
    return [
        *sorted(SHELL_SOURCES.rglob("*.h")),
        *sorted(SERVER_SOURCES.rglob("*.h")),
        *sorted(path for folder in (*SOURCES, INCLUDE) for path in folder.rglob("*.h")),
        *sorted(DRIVERS.glob("*.h")),
        *FRAMES,
        *sorted(NUMERIC.glob("*.h")),
        *sorted(SPOKEN.glob("*.h")),
    ]


def program_names() -> list[str]:
    """What build:NAME.elf can be where a program is wanted."""
    parts = [f"{start}{path.stem}.elf" for start, folders in FOLDERS.items() for folder in folders for path in folder.glob("*.c")]
    own = [f"{path.stem}.elf" for folder in (*SOURCES, DRIVERS) for path in folder.glob("*") if path.suffix in STANDARD]
    shell = [f"{SHELL}{name}.elf" for name in ("sh", CLUSTERS, *shell_tools())]
    servers = [f"{SERVER}{path.parent.name}.elf" for path in SERVER_SOURCES.glob("*/main.c")]
    started = [f"{STARTED}{name}.elf" for name in STARTED_NAMES]
    return sorted([*own, *parts, *shell, *servers, *started])


def shell_tools() -> list[str]:
    return sorted(path.stem for path in (SHELL_SOURCES / "tools").glob("*.c"))


def made_program(name: str, machine: Machine = USUAL) -> Path:
    """Where build:NAME.elf is for that machine."""
    return MADE / machine.name / f"{name}.elf"


def make_program(name: str, progress: Progress, machine: Machine = USUAL) -> Path:
    """Bring build/programs/MACHINE/NAME.elf up to date."""
    source, made, part = source_of(name), made_program(name, machine), part_of(name)
    tree = toolchain(progress, machine, part)
    stamp = made.with_suffix(".key")
    own = [*words_for(name, source), *library_of(name, progress, tree, machine)]
    wanted = key(*headers(), *sources_in(source), tree.name, *own)
    if made.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return made
    progress(f"compiling {source.relative_to(paths.ROOT)} for {machine.title}")
    made.parent.mkdir(parents=True, exist_ok=True)
    unfinished = made.with_suffix(".part")
    words = [*map(str, own), "-o", str(unfinished)]
    if compile_program(rcce.process_words(words) if part == RCCE else words, tree, machine, nanvix_of(name)):
        raise UserError(f"{source.relative_to(paths.ROOT)} does not compile", "read the compiler's messages above")
    unfinished.replace(made)
    stamp.write_text(wanted, encoding="utf-8")
    return made
