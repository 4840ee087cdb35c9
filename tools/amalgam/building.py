# SPDX-License-Identifier: MIT
"""One build at a time in a checkout: two commands, or two tests, that need the same files do not write them at the same time."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from amalgam import paths

_thread = threading.local()


@contextmanager
def building() -> Iterator[None]:
    """Wait until nobody else builds, and keep others off meanwhile. Who is inside may enter again. Also a decorator: @building()."""
    if getattr(_thread, "inside", False):
        yield
        return
    paths.BUILD.mkdir(exist_ok=True)
    with (paths.BUILD / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # goes with its process, however that ends
        _thread.inside = True
        try:
            yield
        finally:
            _thread.inside = False
