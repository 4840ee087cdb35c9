# SPDX-License-Identifier: MIT
"""The programs of docs/files.md, by the words that stand there: they compile without a warning, and their systems are right. What they say
on a board is said by programs of the same kind (tests/system/test_file_server.py, test_disk.py)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.artifacts import littlefs
from amalgam.artifacts.error import NotFetchedError

EXAMPLE = re.compile(r"^## (.*)\n(?:(?!## ).*\n)*?```sh\n((?:(?!```).*\n)*)```", re.MULTILINE)
EXAMPLES = dict(EXAMPLE.findall((paths.ROOT / "docs/files.md").read_text(encoding="utf-8")))
HEADINGS = ["Your first served files in ten minutes", "Your first file on a disk", "A disk of a program's own"]


@pytest.mark.parametrize("heading", HEADINGS)
def test_an_example_compiles_and_its_system_is_right(heading: str, tmp_path: Path) -> None:
    try:
        littlefs.source(paths.CACHE, lambda _text: None)
    except NotFetchedError as error:
        pytest.skip(str(error))
    ours = str(paths.ROOT / "amalgam")
    text = re.sub(r"^\./amalgam cc .*", r"\g<0> -Wall -Wextra -Werror", EXAMPLES[heading], flags=re.MULTILINE)
    text = text.replace("./amalgam run", "./amalgam check").replace("./amalgam", ours)
    assert text.count(f"{ours} cc") == 1 and text.count(f"{ours} check") in (1, 2)
    (tmp_path / "build/first").mkdir(parents=True)
    done = subprocess.run(["sh", "-e"], input=text, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and ": right (" in done.stdout, done.stdout + done.stderr
