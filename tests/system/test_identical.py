# SPDX-License-Identifier: MIT
"""Two builds of the same sources give the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.system.compile import compile_system, locate

KEEP = ("kernel", "firmware", "tools", "config", "boards", "guests", "systems", "amalgam", "Makefile")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, at another place."""
    place = tmp_path_factory.mktemp("copied")
    for name in KEEP:
        source = paths.ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, place / name)
    return place


def build(place: Path, what: str) -> None:
    """`./amalgam build` there, in this environment and with what this one has fetched."""
    environment = os.environ | {"AMALGAM_VENV": sys.prefix, "AMALGAM_CACHE": str(paths.CACHE), "PYTHONPATH": ""}
    subprocess.run([place / "amalgam", "build", what], check=True, timeout=300 * SCALE, env=environment)


def test_two_builds_of_the_kernel_are_identical(kernel: Path, copied: Path) -> None:
    """The second one at another place, from nothing."""
    build(copied, "pc")
    assert (copied / kernel.relative_to(paths.ROOT)).read_bytes() == kernel.read_bytes()


def test_two_builds_of_a_system_are_identical(copied: Path) -> None:
    """The second one with guests that are built at another place, from nothing."""
    _, image = compile_system(locate("boot-kinds"), lambda _text: None)
    build(copied, "boot-kinds")
    assert (copied / image.relative_to(paths.ROOT)).read_bytes() == image.read_bytes()
