# SPDX-License-Identifier: MIT
"""The first program of docs/manycore.md, by the words that stand there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from documents import compiled
from manycores import Start

pytestmark = pytest.mark.beside


def test_the_first_program_of_the_document_runs_as_written(clusters: Start, tmp_path: Path) -> None:
    system, runs = compiled("manycore.md", "Your first program", tmp_path)
    assert runs == ["./amalgam run mine.yaml", "./amalgam trace mine.yaml"]
    assert "the squares of 5 clusters add up to 30\n" in clusters(yaml.safe_load(system)).consoles[0].text
