# SPDX-License-Identifier: MIT
"""Two builds of the same sources give the same bytes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.system.compile import compile_system, locate

KEEP = ("kernel", "tools", "config", "boards", "guests", "systems", "amalgam", "Makefile")


def test_two_builds_of_the_kernel_are_identical(kernel: Path, tmp_path: Path) -> None:
    """The second one at another place, from nothing."""
    for name in KEEP:
        source = paths.ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, tmp_path / name)
    subprocess.run([tmp_path / "amalgam", "build", "pc"], check=True, timeout=300 * SCALE, env=environment())
    assert (tmp_path / kernel.relative_to(paths.ROOT)).read_bytes() == kernel.read_bytes()


def environment() -> dict[str, str]:
    """This environment, and not another made for the copy."""
    import os
    import sys

    return os.environ | {"AMALGAM_VENV": str(Path(sys.prefix)), "PYTHONPATH": ""}


def test_two_builds_of_a_system_are_identical(kernel: Path) -> None:
    _, image = compile_system(locate("boot-kinds"), lambda _text: None)
    first = image.read_bytes()
    image.unlink()
    shutil.rmtree(paths.BUILD / "guests")
    assert compile_system(locate("boot-kinds"), lambda _text: None)[1].read_bytes() == first
