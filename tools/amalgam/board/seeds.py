# SPDX-License-Identifier: MIT
"""Random bytes that a kernel is given at each start, where its board has no source of its own (kernel/include/seed.h)."""

from __future__ import annotations

import hashlib
import os

SEED_SIZE = 32  # bytes


def seed(counted: bool, *which: object) -> bytes:
    """Those of this start; of a counted run those of the kernel and life that `which` names, so that the run repeats."""
    return hashlib.sha256(repr(which).encode()).digest() if counted else os.urandom(SEED_SIZE)
