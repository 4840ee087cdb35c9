# SPDX-License-Identifier: MIT
"""Lines that threads of one process print on two cores at once (tests/programs/lines.c)."""

from __future__ import annotations

import re
from typing import Any

from support import said


def test_long_lines_of_threads_do_not_mix(boot: Any) -> None:
    process = {"kind": "process", "program": "build:lines.elf", "memory": "128K", "threads": 2, "cores": [0, 1]}
    with boot({"system": "lines", "board": "q35", "cores": 2, "memory": "64M", "domains": {"lines": process}}) as board:
        said(board, "lines", "lines: done", 120)
        lines = re.findall(r"[ab]+", board["lines"].text.partition("lines: done")[0])
        assert sorted(lines) == ["a" * 100] * 100 + ["b" * 100] * 100
