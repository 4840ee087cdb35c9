# SPDX-License-Identifier: MIT
"""The kernel's headers that programs for RCCE share, natively, as processes and in a Linux, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

KERNEL = Path(__file__).resolve().parents[3] / "kernel"
HEADERS = {name: KERNEL / "include" / name for name in ("native/calls.h", "process/chip.h", "hal/cache.h", "hal/mpbt.h")} | {
    "cache_ops.h": KERNEL / "cache/i386-marker/cache_ops.h"
}
"""By the name that they are included by."""


def words(folder: Path) -> list[str]:
    """For gcc, with copies in `folder`."""
    for name, header in HEADERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(header, folder / name)
    return ["-I", str(folder)]
