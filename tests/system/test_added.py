# SPDX-License-Identifier: MIT
"""docs/porting.md's recipes: a part of processes, a device of guests and a board come by files that are added (tests/system/added), and no
file changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amalgam import paths
from listing import listed

pytestmark = pytest.mark.usefixtures("one_board")

ADDED = Path(__file__).parent / "added"
PARTS = ("boards", "config", "docs", "firmware", "guests", "kernel", "systems", "tools", "user")  # of the tree, what a build reads


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, with what is added and what is made of that."""
    folder = tmp_path_factory.mktemp("added") / "tree"
    for name in listed(*PARTS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(paths.ROOT / name, folder / name)
    added = contents(ADDED)
    assert not [name for name in added if (folder / name).exists()], "what is added takes no file's place"
    before = contents(folder)
    shutil.copytree(ADDED, folder, dirs_exist_ok=True)
    subprocess.run([sys.executable, folder / "tools/amalgam/api/generate.py", "write"], check=True)
    after = contents(folder)
    assert {name: text for name, text in after.items() if name in before} == before, "no file changes"
    return folder


def amalgam(tree: Path, *words: str) -> str:
    env = os.environ | {"PYTHONPATH": str(tree / "tools"), "AMALGAM_CACHE": str(paths.CACHE)}
    done = subprocess.run([sys.executable, "-m", "amalgam", *words], cwd=tree, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_part_a_device_and_a_board_are_files_that_are_added(tree: Path) -> None:
    said = amalgam(tree, "run", "systems/dummy.yaml")
    assert "sum 55, too large -34" in said
    assert "[may-not] sum -1, too large -34" in said
    assert "dummy: adds has added up 55" in said
    assert "dummy: may-not has added up 0" in said
    assert "dummy board: power off" in said
    assert "counter: 1, then 2" in said
    assert "| 0x44550000 | `dummy_add(value)` |" in (tree / "docs/dummy.md").read_text(encoding="utf-8")
