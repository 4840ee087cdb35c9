# SPDX-License-Identifier: MIT
"""Files on a disk (docs/files.md): what a power cut at any write leaves, on the host with a model of a disk (tests/host/disk_cuts.c)."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts import littlefs
from amalgam.artifacts.error import NotFetchedError

CUTS, CUTS_FULL = 200, 20_000
SANITIZED = ["-std=gnu17", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
DISK = [f"user/disk/{name}.c" for name in ("blocks", "check", "mount")]
TREE = [f"user/disk/{name}.c" for name in ("files", "folders", "tree")]
MEMORY = [
    *(f"user/files/{name}.c" for name in ("account", "content", "folder", "image", "node", "tree", "walk")),
    "user/lib/cpio.c",
    "user/p9/memory.c",
]
OPERATIONS, OPERATIONS_FULL = 20_000, 1_000_000
DISKS, DISKS_FULL = 4_000, 1_000_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with littlefs' sources; each object in it is compiled once for all tests."""
    folder = tmp_path_factory.mktemp("disk")
    try:
        littlefs.build_for_host(paths.CACHE, folder)
    except NotFetchedError as error:
        pytest.skip(str(error))
    return folder


def compiled(made: Path, source: Path, flags: list[str | Path]) -> Path:
    """The object of a source; two sources may have one name, and two programs different flags."""
    known = hashlib.sha256("\0".join(map(str, (source, *flags))).encode()).hexdigest()[:12]
    target = made / f"{source.stem}-{known}.o"
    if not target.exists():
        headers = [f"-I{made}", f"-I{littlefs.DISK}", f"-I{littlefs.DISK / 'include'}", f"-I{paths.ROOT / 'user/lib'}"]
        subprocess.run(["gcc", *SANITIZED, *headers, *flags, "-c", source, "-o", target], check=True)
    return target


def build(made: Path, program: str, *words: str, before: tuple[str, ...] = ()) -> Path:
    """The program tests/host/NAME.c, with littlefs' sources from the cache; `words`: what else gcc is told, and sources; `before`: what
    it is told of littlefs' own."""
    foreign = [compiled(made, made / f"{name}.c", [*littlefs.FOREIGN, *before]) for name in ("lfs", "lfs_util")]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    sources = [f"tests/host/{program}.c", *DISK, *(word for word in words if word.endswith(".c"))]
    flags = [*warnings, *(word for word in words if not word.endswith(".c"))]
    ours = [compiled(made, paths.ROOT / source, flags) for source in sources]
    subprocess.run(["gcc", *SANITIZED, "-o", made / program, *ours, *foreign], check=True)
    return made / program


def cuts(made: Path, *words: str) -> Path:
    return build(made, "disk_cuts", *words)


def test_what_was_closed_is_there_after_a_power_cut_at_any_write(made: Path, request: pytest.FixtureRequest) -> None:
    number = CUTS_FULL if request.config.getoption("--full") else CUTS
    program = cuts(made)
    for seed in "1", "2":
        done = subprocess.run([program, str(number), seed], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_cuts_find_a_disk_that_is_not_flushed(made: Path) -> None:
    """The test itself: without flushes files are lost."""
    done = subprocess.run([cuts(made, "-DFLUSHES=0"), str(CUTS), "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "cut " in done.stdout, done.stdout + done.stderr


def test_random_operations_on_a_disk_answer_as_those_in_memory(made: Path, request: pytest.FixtureRequest) -> None:
    """The trees that a server has, each by its table (user/p9/tree.h)."""
    number = OPERATIONS_FULL if request.config.getoption("--full") else OPERATIONS
    program = build(made, "disk_tree", *TREE, *MEMORY)
    for seed in "1", "2":
        done = subprocess.run([program, str(number), seed], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_disk_did_not_take_is_not_said_to_be_there(made: Path) -> None:
    program = build(made, "disk_fails", *TREE, *MEMORY)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_disk_whose_contents_are_wrong_harms_nobody_else(made: Path, request: pytest.FixtureRequest) -> None:
    """Each call ends, with whatever answer, and touches no memory but its own. What littlefs takes for impossible ends its program."""
    number = DISKS_FULL if request.config.getoption("--full") else DISKS
    program = build(made, "disk_lies", *TREE, *MEMORY, before=("-include", str(paths.ROOT / "tests/host/disk_impossible.h")))
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # what such an end leaves
    done = subprocess.run([program, str(number), "1"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
