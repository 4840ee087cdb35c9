# SPDX-License-Identifier: MIT
"""Which instructions of a kernel or a program a Pentium without MMX (P54C) has not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

NEWER = re.compile(
    r"\b(cmov\w+|fcmov\w+|fu?comip?|sysenter|sysexit|syscall|sysret|fx(?:save|rstor)\w*|emms|[ml]fence|sfence|prefetch\w*|clflush\w*|"
    r"rdpmc|ud[01]|nop[wl]|endbr\w+|rdrand|rdseed|rdtscp|x(?:save|rstor|getbv|setbv)\w*|clac|stac|[lt]zcnt|popcnt|movbe|"
    r"(?:cvt|mov|add|sub|mul|div)[sp][sd]\w*|p(?:add|sub|xor|or|and|unpck|shuf)\w*|mov[dq]qa|mov[dq]qu)\b|%[xyz]?mm\d|%r\d|%rax"
)
"""What processors have learnt since: the P6's, MMX, SSE and all later ones."""


def newer(elf: Path, least: int = 5000) -> list[str]:
    """Those of a file's instructions that are too new; it must have more than `least`."""
    words = ["i686-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(elf)]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    code, header = [], False
    for line in lines:
        header = line.endswith("<image_start>:") or (header and not line.endswith(">:"))  # the loader's, before all code
        code += [line] if re.match(r"\s+[0-9a-f]+:\t", line) and not header else []
    assert len(code) > least
    return [line.strip() for line in code if NEWER.search(line) or "(bad)" in line]
