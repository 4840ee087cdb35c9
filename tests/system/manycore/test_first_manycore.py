# SPDX-License-Identifier: MIT
"""The first program of docs/manycore.md, by the words that stand there."""

from __future__ import annotations

import re
import subprocess
import textwrap
from pathlib import Path

import pytest
import yaml
from amalgam.paths import ROOT
from manycores import Start

pytestmark = pytest.mark.beside


def test_the_first_program_of_the_document_runs_as_written(clusters: Start, tmp_path: Path) -> None:
    text = (ROOT / "docs/manycore.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split("\n## Your first program\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    program, compiles, system, runs = (
        textwrap.dedent(block) for block in re.findall(r"(?:^ {7}.*\n|(?<=\n)\n(?= {7}))+", section, re.MULTILINE)
    )
    (tmp_path / "app.c").write_text(program, encoding="utf-8")
    command, *words = compiles.split()
    assert command == "./amalgam"
    assert subprocess.run([ROOT / "amalgam", *words, "-Werror"], cwd=tmp_path, check=False).returncode == 0
    assert runs.strip().splitlines() == ["./amalgam run mine.yaml", "./amalgam trace mine.yaml"]
    assert "the squares of 5 clusters add up to 30\n" in clusters(yaml.safe_load(system)).consoles[0].text
