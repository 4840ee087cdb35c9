# SPDX-License-Identifier: MIT
"""What gdb's `amalgam guest x` shows where a guest's addresses end, and of strings that do not: in gdb, of memory that the test makes up."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amalgam import paths

# Memory is all "a" but for some bytes.
SCRIPT = """
import contextlib, sys
sys.path.insert(0, {folder!r})
import looking
looking.physical = contextlib.nullcontext
import examine586
examine586.fetch = lambda by, address, n: bytes({zeros}.get(address + i, 0x61) for i in range(min(n, (1 << 32) - address)))
examine586.examine(None, {address}, {count}, {letters!r})
"""


def shown(folder: Path, address: int, count: int, letters: str, zeros: tuple[int, ...] = ()) -> list[str]:
    script = folder / "look.py"
    words = {"folder": str(paths.ROOT / "tools/gdb"), "zeros": dict.fromkeys(zeros, 0)}
    script.write_text(SCRIPT.format(**words, address=address, count=count, letters=letters), encoding="utf-8")
    done = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", script], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_what_is_shown_ends_with_the_addresses(tmp_path: Path) -> None:
    last = (1 << 32) - 6
    assert shown(tmp_path, last, 3, "s", (last + 3,)) == ['0xfffffffa:\t"aaa"', '0xfffffffe:\t"aa"']
    assert shown(tmp_path, last, 3, "xw") == ["0xfffffffa:\t0x61616161"]


def test_a_string_without_an_end_goes_on_as_the_next_one(tmp_path: Path) -> None:
    lines = shown(tmp_path, 0x1003, 2, "s", (0x1003 + 4099,))
    assert [line.partition("\t")[0] for line in lines] == ["0x1003:", "0x2003:"]
    assert lines[1] == '0x2003:\t"aaa"'
