# SPDX-License-Identifier: MIT
"""Programs for Linux guests: ours, linked statically, and stress-ng with its libraries."""

import json
import shutil
import subprocess
from pathlib import Path

from . import apt
from .elf import Elf
from .error import ArtifactError
from .store import Log, key, publish, recipe

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "guests/linux"
FLAGS = ["-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-static", "-pthread", "-s", "-Wl,--build-id=none"]
NAMES = ("peerbench", "kvmbench", "kvmguest")
LEFT_OUT = ("libllvm",)  # only what postgresql-15 loads when it compiles queries: 120 MiB
LIBRARY_DIRS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/pulseaudio")


def compile_static(cache: Path, source: Path, log: Log, include: Path | None = None) -> Path:
    """`source` as a static Linux program, in the cache under its own name."""
    headers = sorted((include or source.parent).glob("*.h"))
    folder = Path(cache) / f"program-{source.stem}-{key(recipe(__file__), source, *headers)}"

    def make(target: Path):
        if shutil.which("gcc") is None:
            raise ArtifactError("gcc is missing: run `./amalgam setup`")
        log(f"compiling {source.name}")
        target.mkdir()
        done = subprocess.run(
            ["gcc", *FLAGS, "-I", headers[0].parent if headers else source.parent, "-o", target / source.stem, source],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ArtifactError(f"{source.name} does not compile:\n{done.stderr}")

    return publish(folder.parent, folder.name, make) / source.stem


def build_all(cache: Path, log: Log) -> list[Path]:
    return [compile_static(cache, SOURCES / f"{name}.c", log) for name in NAMES if (SOURCES / f"{name}.c").exists()]


def tunnel(cache: Path, log: Log) -> Path:
    """The tunnel's Linux end; shares its protocol header with the bare-metal guests."""
    return compile_static(cache, ROOT / "linux/tunnel/amalgam-tunnel.c", log, include=ROOT / "guests/include")


def stress_ng(cache: Path, log: Log) -> list[tuple[str, Path]]:
    """stress-ng and the shared libraries it needs: (name inside the archive, file) pairs."""
    return with_libraries(cache, {"bin/stress-ng": ("stress-ng", "usr/bin/stress-ng")}, log)


def with_libraries(cache: Path, programs: dict[str, tuple[str, str]], log: Log, packages: apt.Apt = apt.MACHINE) -> list[tuple[str, Path]]:
    """Programs of `packages`, {name inside the archive: (package, path in it)}, and the shared libraries that they need.

    What was found is kept for the versions of these packages: apt takes long to answer.
    """
    packages.ask(package for package, _path in programs.values())
    versions = sorted({packages.unpacked(cache, package, log).name for package, _path in programs.values()})
    words = sorted(f"{inside} {' '.join(of)}" for inside, of in programs.items())

    def make(target: Path):
        home = Path(cache).resolve()  # a checkout may move: nothing is kept that names its place
        found = [[inside, str(path.resolve().relative_to(home))] for inside, path in _closure(cache, programs, log, packages)]
        target.write_text(json.dumps(found, indent=1), encoding="utf-8")

    kept = publish(Path(cache), f"libraries-{key(recipe(__file__), *versions, *words)}.json", make)
    found = [(inside, Path(cache) / path) for inside, path in json.loads(kept.read_text(encoding="utf-8"))]
    if all(path.is_file() for _inside, path in found):
        return found
    kept.unlink()  # packages were removed from the cache since
    return with_libraries(cache, programs, log, packages)


def _closure(cache: Path, programs: dict[str, tuple[str, str]], log: Log, packages: apt.Apt) -> list[tuple[str, Path]]:
    """Packages are taken breadth first from their dependencies, only until every library of the closure is found: most of
    what apt would install is not needed."""
    result = {inside: packages.unpacked(cache, package, log) / path for inside, (package, path) in programs.items()}
    missing = {need for inside, path in result.items() for need in Elf(path.read_bytes(), inside).needed()}
    queue = [need for package, _path in programs.values() for need in packages.candidate(package)[1]]
    seen: set[str] = set()
    available: dict[str, Path] = {}
    while missing:
        found = {soname for soname in missing if soname in available}
        for soname in found:
            path = available[soname]
            result[f"lib/x86_64-linux-gnu/{soname}"] = path
            missing |= {n for n in Elf(path.read_bytes(), soname).needed() if f"lib/x86_64-linux-gnu/{n}" not in result}
        missing -= found
        if found or not missing:
            continue
        package = next((p for p in queue if p not in seen and not p.startswith(LEFT_OUT)), None)
        if package is None:
            raise ArtifactError(f"{', '.join(sorted(missing))}: no package that these programs depend on holds it")
        seen.add(package)
        packages.ask(queue)
        try:
            unpacked = packages.unpacked(cache, package, log)
            queue += packages.candidate(package)[1]
        except ArtifactError as error:
            log(f"leaving out {package}: {error}")  # a virtual package: its provider is not needed or named elsewhere
            continue
        for folder in LIBRARY_DIRS:
            for path in (unpacked / folder).glob("*.so*"):
                if path.is_file():
                    available.setdefault(path.name, path.resolve())
    loader = result.pop("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
    result["lib64/ld-linux-x86-64.so.2"] = loader
    return sorted(result.items())
