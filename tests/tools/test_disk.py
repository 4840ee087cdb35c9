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
OURS = [paths.ROOT / name for name in ("tests/host/disk_cuts.c", "user/disk/blocks.c", "user/disk/check.c", "user/disk/mount.c")]


def cuts(folder: Path, *words: str) -> Path:
    """The program, with littlefs' sources from the cache; `words`: what else gcc is told."""
    try:
        littlefs.build_for_host(paths.CACHE, folder)
    except NotFetchedError as error:
        pytest.skip(str(error))
    headers = [f"-I{folder}", f"-I{littlefs.DISK}", f"-I{littlefs.DISK / 'include'}"]
    gcc = ["gcc", *SANITIZED, *headers]
    foreign = []
    for name in ("lfs", "lfs_util"):
        foreign.append(folder / f"{name}.o")
        subprocess.run([*gcc, *littlefs.FOREIGN, "-c", folder / f"{name}.c", "-o", foreign[-1]], check=True)
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    subprocess.run([*gcc, *warnings, *words, "-o", folder / "cuts", *OURS, *foreign], check=True)
    return folder / "cuts"


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
