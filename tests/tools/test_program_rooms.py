# SPDX-License-Identifier: MIT
"""Where programs of processes are: what a user starts or copies in user/programs, what a bench measures beside its claim, what only tests
run in tests/programs (docs/programs.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from amalgam import paths
from amalgam.build import natives, programs
from amalgam.system.files import RUN_BY_CLUSTERS

USER, TESTS, *BENCHES = programs.SOURCES
PREFIX = {"nanvix": r"nanvix(?:_spin|_remote)?-", "net": "net-", "disk": "disk-", "rcce": "(?:rcce-)?"}


def texts(*folders: Path) -> str:
    """What stands in their systems, documents and scripts."""
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in (".yaml", ".md", ".py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in programs.STANDARD)


def system_name(path: Path, room: Path) -> str:
    """What stands in a system, as a pattern: NAME.elf with what its folder puts before NAME."""
    folder = room.parent.name if room.parent.parent == paths.ROOT / "user" else path.relative_to(room).parts[0]
    return rf"(?<![\w-])(?:started-)?{PREFIX.get(folder, '')}{re.escape(path.stem)}\.elf"


def unnamed(found: Iterable[Path], room: Path, text: str) -> list[str]:
    """Those that the text names neither as build:NAME.elf, nor by a word of Python, nor by their file."""
    result = []
    for path in found:
        file, name = path.relative_to(paths.ROOT).as_posix(), re.escape(path.stem)
        patterns = (system_name(path, room), rf"[\"'-]{name}[\"']", rf"(?<![\w/]){re.escape(file)}")
        if not any(re.search(pattern, text) for pattern in patterns):
            result.append(file)
    return result


def test_a_program_is_where_it_is_used() -> None:
    assert len(BENCHES) > 5
    starts = texts(paths.ROOT / "systems", paths.ROOT / "docs") + " ".join(f"{name}.elf" for name in RUN_BY_CLUSTERS.values())
    for room in (USER, *sorted((paths.ROOT / "user").glob("*/programs"))):
        assert not unnamed(sources(room), room, starts)
    assert not unnamed(sources(TESTS), TESTS, texts(paths.ROOT / "tests"))
    for room in BENCHES:
        assert not unnamed(sources(room), room, texts(room.parent))


def test_what_a_user_starts_is_not_in_another_room() -> None:
    """A system of systems/ names no program of tests or benches."""
    text = texts(paths.ROOT / "systems")
    found = [path for room in (TESTS, *BENCHES) for path in sources(room) if re.search(system_name(path, room), text)]
    assert not found
    assert any(re.search(system_name(path, USER), text) for path in sources(USER))


def test_a_name_is_one_program() -> None:
    names = programs.program_names()
    assert len(names) > 150
    assert len(set(names)) == len(names), sorted({name for name in names if names.count(name) > 1})
    own = [path.stem for runtime in natives.RUNTIMES for folder in natives.folders(runtime) for path in folder.glob("*.c")]
    assert sorted(own) == sorted(natives.sources())


def included(source: Path) -> set[Path]:
    """What it includes by a path, and what that includes."""
    names = re.findall(r'^\s*#\s*include "(\S+)"', source.read_text(encoding="utf-8"), re.MULTILINE)
    found = {path for name in names if (path := (source.parent / name).resolve()).is_file()}
    return found.union(*map(included, found))


def test_a_program_is_made_again_when_what_it_includes_changes() -> None:
    """That is in its key; a library's headers are in the library's, where its programs' folder is not."""
    libraries = [paths.ROOT / "user" / name for name in ("disk", "files", "lib", "net", "p9", "rcce")]
    found = {name: programs.source_of(name.removesuffix(".elf")) for name in programs.program_names()}
    assert sum(bool(included(source)) for source in found.values()) > 50
    for name, source in found.items():
        known = {*programs.headers(), *programs.sources_in(source)}
        others = [path for path in included(source) - known if not any(path.is_relative_to(folder) for folder in libraries)]
        assert not others, name
    for name, (_runtime, source) in natives.sources().items():
        others = [path for path in included(source) - {*programs.headers()} if not path.is_relative_to(paths.ROOT / "user/rcce")]
        assert not others, name


def test_a_program_that_nobody_names_is_found() -> None:
    room = paths.ROOT / "user" / "programs"
    found = [room / "hello.c", room / "nanvix" / "buffer.c", room / "gone.c", room / "nanvix" / "hello.c"]
    text = "program: build:hello.elf, build:nanvix_spin-buffer.elf, bench/user/programs/gone.c"
    assert unnamed(found, room, text) == ["user/programs/gone.c", "user/programs/nanvix/hello.c"]
