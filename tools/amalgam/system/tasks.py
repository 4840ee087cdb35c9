# SPDX-License-Identifier: MIT
"""The native tasks that are built into the kernel; the list is read from where the kernel defines it."""

from __future__ import annotations

import re

from amalgam import paths

LIST = paths.ROOT / "kernel" / "include" / "task" / "apps.h"


def native_tasks() -> dict[str, int]:
    """Name to index: the enum constants APP_NAME, in order, without the closing APP_COUNT."""
    if not LIST.is_file():
        return {}
    words = re.findall(r"\bAPP_([A-Z0-9_]+)\b\s*(?:=\s*\d+\s*)?,", LIST.read_text(encoding="utf-8"))
    return {word.lower().replace("_", "-"): index for index, word in enumerate(words) if word != "COUNT"}
