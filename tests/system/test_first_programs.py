# SPDX-License-Identifier: MIT
"""The first programs of the documents, by the words that stand there: written, compiled, run, and what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amalgam.paths import ROOT
from documents import blocks, section, typed

pytestmark = pytest.mark.usefixtures("one_board")

RUN = "./amalgam run mine.yaml"


def write(block: str, folder: Path) -> bool:
    """A program, whose first comment names its file, or a system; whether it was one."""
    named = re.match(r"/\* ([\w.]+)", block)
    name = named[1] if named else "mine.yaml" if block.startswith("system:") else ""
    if name:
        (folder / name).write_text(block, encoding="utf-8")
    return bool(name)


@pytest.mark.parametrize(
    ("page", "heading", "said"),
    [
        ("programs.md", "The first program", "argument 1 is world"),
        ("nanvix.md", "Your first Nanvix program", "all joined"),
        ("openmp.md", "Your first program", "pi is 3.141593, by 48 threads"),
        ("scc.md", "Your first program", "the token went over 48 cores"),
        ("svm.md", "Your first program", "the squares of 4 cores add up to 14"),
        ("status.md", "Your first look in ten minutes", "look: started 1 times"),
    ],
    ids=["programs", "nanvix", "openmp", "scc", "svm", "status"],
)
def test_the_first_program_of_the_page_runs_as_written(page: str, heading: str, said: str, tmp_path: Path) -> None:
    text = section(page, heading)
    assert RUN in text
    compiled = 0
    for block in blocks(text):
        if write(block, tmp_path):
            continue
        for line in block.strip().splitlines():
            if line != RUN:
                done = typed(line + (" -Werror" if " cc " in line else ""), tmp_path)
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
                compiled += " cc " in line
    assert compiled == 1
    done = typed(RUN, tmp_path)
    assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr


def test_the_first_program_of_the_checkers_page_runs_as_written(tmp_path: Path) -> None:
    program, compiles, checks = blocks(section("coherence.md", "Your first program"))
    (tmp_path / "kernel").symlink_to(ROOT / "kernel")
    for text, status, said in (
        (program, 0, "coherence: no report"),
        (re.sub(r".*cache_clean\(.*\n", "", program), 1, "unflushed"),
    ):
        assert write(text, tmp_path)
        assert typed(compiles, tmp_path).returncode == 0
        done = typed(checks, tmp_path)
        assert done.returncode == status and said in done.stdout + done.stderr, done.stdout + done.stderr
