# SPDX-License-Identifier: MIT
"""What the documents tell a reader to type, as tests take it."""

from __future__ import annotations

import re
import shlex
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

from amalgam.paths import ROOT

BLOCK = re.compile(r"(?:^ {7}.*\n|(?<=\n)\n(?= {7}))+", re.MULTILINE)


def section(page: str, heading: str) -> str:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.split(r"^##", re.split(rf"^##+ {heading}\n", text, flags=re.MULTILINE)[1], maxsplit=1, flags=re.MULTILINE)[0]


def blocks(text: str) -> Iterator[str]:
    """What a reader types: indented by seven."""
    yield from (textwrap.dedent(block).strip("\n") + "\n" for block in BLOCK.findall(text))


def typed(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`, with this checkout's ./amalgam."""
    words = [str(ROOT / "amalgam") if word == "./amalgam" else word for word in shlex.split(command)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=500, check=False)


def compiled(page: str, heading: str, folder: Path) -> tuple[str, list[str]]:
    """The section's program app.c, compiled in `folder` by its words without a warning. Its system, and the lines that run it."""
    program, compiles, system, runs = blocks(section(page, heading))
    (folder / "app.c").write_text(program, encoding="utf-8")
    assert compiles.startswith("./amalgam ")
    done = typed(f"{compiles.strip()} -Werror", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return system, runs.splitlines()
