# SPDX-License-Identifier: MIT
"""How the libraries of native programs wait: in one way each, which counts by itself."""

from __future__ import annotations

import re

from amalgam import paths

LIBRARIES = [paths.ROOT / "user" / name for name in ("rcce", "openmp", "native")]
FILES = [file for library in LIBRARIES for file in library.rglob("*.[ch]") if "programs" not in file.parts]


def places(pattern: str) -> list[str]:
    """The files in which it stands, once for each place."""
    found = [file.relative_to(paths.ROOT / "user") for file in FILES for _ in re.finditer(pattern, file.read_text(encoding="utf-8"))]
    return sorted(map(str, found))


def test_pause_stands_in_one_function_of_each_library() -> None:
    assert places(r'"pause') == ["openmp/openmp.h", "rcce/rcce.h"]


def test_no_caller_counts_its_looks() -> None:
    assert set(places(r"(?:->|\.)looks\b")) == {"openmp/openmp.h", "rcce/rcce.h"}
    assert places(r"(?:unsigned|u32|int) looks = ") == []
