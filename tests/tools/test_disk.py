# SPDX-License-Identifier: MIT
"""Files on a disk (docs/files.md): what a power cut at any write leaves, on the host with a model of a disk (tests/host/disk_cuts.c)."""

from __future__ import annotations

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
DISKS, DISKS_FULL = 20_000, 1_000_000


def build(folder: Path, program: str, *words: str, before: tuple[str, ...] = ()) -> Path:
    """The program tests/host/NAME.c, with littlefs' sources from the cache; `words`: what else gcc is told, and sources; `before`: what
    it is told of littlefs' own."""
    try:
        littlefs.build_for_host(paths.CACHE, folder)
    except NotFetchedError as error:
        pytest.skip(str(error))
    headers = [f"-I{folder}", f"-I{littlefs.DISK}", f"-I{littlefs.DISK / 'include'}", f"-I{paths.ROOT / 'user/lib'}"]
    gcc = ["gcc", *SANITIZED, *headers]
    foreign = []
    for name in ("lfs", "lfs_util"):
        foreign.append(folder / f"{name}.o")
        subprocess.run([*gcc, *littlefs.FOREIGN, *before, "-c", folder / f"{name}.c", "-o", foreign[-1]], check=True)
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    sources = [f"tests/host/{program}.c", *DISK, *(word for word in words if word.endswith(".c"))]
    flags = [word for word in words if not word.endswith(".c")]
    ours = []
    for source in sources:  # two of them may have one name
        ours.append(folder / f"{source.replace('/', '-')}.o")
        subprocess.run([*gcc, *warnings, *flags, "-c", paths.ROOT / source, "-o", ours[-1]], check=True)
    subprocess.run([*gcc, "-o", folder / program, *ours, *foreign], check=True)
    return folder / program


def cuts(folder: Path, *words: str) -> Path:
    return build(folder, "disk_cuts", *words)


def test_what_was_closed_is_there_after_a_power_cut_at_any_write(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    number = CUTS_FULL if request.config.getoption("--full") else CUTS
    program = cuts(tmp_path)
    for seed in "1", "2":
        done = subprocess.run([program, str(number), seed], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_cuts_find_a_disk_that_is_not_flushed(tmp_path: Path) -> None:
    """The test itself: without flushes files are lost."""
    done = subprocess.run([cuts(tmp_path, "-DFLUSHES=0"), str(CUTS), "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "cut " in done.stdout, done.stdout + done.stderr


def test_random_operations_on_a_disk_answer_as_those_in_memory(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The trees that a server has, each by its table (user/p9/tree.h)."""
    number = OPERATIONS_FULL if request.config.getoption("--full") else OPERATIONS
    program = build(tmp_path, "disk_tree", *TREE, *MEMORY)
    for seed in "1", "2":
        done = subprocess.run([program, str(number), seed], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_disk_did_not_take_is_not_said_to_be_there(tmp_path: Path) -> None:
    program = build(tmp_path, "disk_fails", *TREE, *MEMORY)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_disk_whose_contents_are_wrong_harms_nobody_else(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each call ends, with whatever answer, and touches no memory but its own. What littlefs takes for impossible ends its program."""
    number = DISKS_FULL if request.config.getoption("--full") else DISKS
    program = build(tmp_path, "disk_lies", *TREE, *MEMORY, before=("-include", str(paths.ROOT / "tests/host/disk_impossible.h")))
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}  # what such an end leaves
    done = subprocess.run([program, str(number), "1"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
