# SPDX-License-Identifier: MIT
"""./amalgam as a user or a script types it, for tests."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

from amalgam.board.console import SCALE

ROOT = Path(__file__).resolve().parents[1]


def amalgam(
    *words: str, root: Path = ROOT, timeout: float = 900 * SCALE, memory: int = resource.RLIM_INFINITY, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of a checkout, which may take `memory` bytes of address space and has nothing to read."""
    return subprocess.run(
        [root / "amalgam", *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=root,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )
