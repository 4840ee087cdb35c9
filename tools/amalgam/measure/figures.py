# SPDX-License-Identifier: MIT
"""Figures in prose. A sentence that repeats a measured figure names its row behind it, in a comment that no reader of the page sees:

    a yield takes 78<!-- scc: yield --> instructions

The figure is the row's value in bench/BENCH/results.md, rounded as the sentence has it: 78, 1.3, 4.4 million, 90 thousand. So prose cannot
say what results no longer have: a test compares them, and `./amalgam bench --document` writes what has changed.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from amalgam import paths
from amalgam.errors import UserError
from amalgam.measure import benchdoc

MARK = re.compile(r"(?P<told>-?\d[\d,]*(?:\.\d+)?)(?P<scale> million| thousand|)(?P<bold>\**)<!-- (?P<bench>[\w-]+): (?P<row>[\w.-]+) -->")
SCALES = {"": 1, " thousand": 1_000, " million": 1_000_000}


def marked() -> list[Path]:
    """The documents of the tree that may have marks: all Markdown but generated results."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=paths.ROOT, capture_output=True, text=True, check=True)
    return [paths.ROOT / name for name in listed.stdout.split() if not name.endswith("results.md") and (paths.ROOT / name).is_file()]


def rounded(value: float, like: str) -> str:
    """`value` with the decimals and the separators of `like`."""
    decimals = len(like.partition(".")[2])
    return f"{value:,.{decimals}f}" if "," in like or value >= 1000 else f"{value:.{decimals}f}"


def current(text: str) -> str:
    """`text` with each marked figure as results have it. Raises UserError if a mark names a row that is not there."""

    known: dict[str, dict[str, dict[str, str]]] = {}  # each bench's rows, read once

    def put(match: re.Match[str]) -> str:
        bench, row = match["bench"], match["row"]
        if bench not in known:
            known[bench] = benchdoc.recorded(bench) if benchdoc.results_of(bench).is_file() else {}
        rows = known[bench]
        if row not in rows:
            raise UserError(f"a figure in prose names a row '{row}' that bench/{bench}/results.md has not", f"./amalgam bench {bench}")
        value = float(rows[row]["ours"].replace(",", "")) / SCALES[match["scale"]]
        return rounded(value, match["told"]) + match[0][len(match["told"]) :]

    return MARK.sub(put, text)


def write() -> list[str]:
    """Bring all marked figures up to date. Returns the documents that changed."""
    changed = []
    for path in marked():
        text = path.read_text(encoding="utf-8")
        if (now := current(text)) != text:
            path.write_text(now, encoding="utf-8")
            changed.append(str(path.relative_to(paths.ROOT)))
    return changed
