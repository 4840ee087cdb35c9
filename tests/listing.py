# SPDX-License-Identifier: MIT
"""The files of the tree, for tests that read them all."""

from __future__ import annotations

import subprocess

from amalgam.paths import ROOT


def listed(*patterns: str) -> list[str]:
    """The names of those that are there and that git has or does not ignore: a new one, too, before it is committed. `patterns` are git's."""
    words = ["git", "ls-files", "-co", "--exclude-standard", *patterns]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in names if name and (ROOT / name).is_file()]
