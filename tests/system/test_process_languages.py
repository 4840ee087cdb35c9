# SPDX-License-Identifier: MIT
"""The examples of C++ and of Rust run on a board, where they reach no more than their process has."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from support import said


def run(boot: Any, program: str, says: str) -> None:
    domain = {"kind": "process", "program": f"build:{program}.elf", "threads": 4, "memory": "256K"}
    with boot({"system": "languages", "board": "q35", "memory": "128M", "domains": {program: domain}}) as board:
        said(board, program, says)
        said(board, "kernel", f"domain {program}: done: exit status 0")


def test_cpp_with_containers_and_threads(boot: Any) -> None:
    run(boot, "shapes", r"shapes: areas 25 4 16 49, smallest 4, static 1\r*\nshapes: right\r*\n")


@pytest.mark.skipif(not shutil.which("rustc"), reason="rustc is not installed: it is large, and only this example needs it")
def test_rust_without_its_standard_library(boot: Any) -> None:
    run(boot, "greet", r"greet: \[1, 1, 2, 3, 5, 8, 13, 21, 34, 55\], 1\.618\r*\n")
