# SPDX-License-Identifier: MIT
"""What draws the plots of benches: installed when a bench first draws, so that no other command waits for it."""

from __future__ import annotations

import fcntl
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amalgam import paths, proc
from amalgam.errors import UserError

REQUIREMENTS = paths.ROOT / "tools" / "requirements-drawing.txt"


def pyplot() -> Any:
    """matplotlib.pyplot for pictures in files. UserError: it is not there and cannot be installed."""
    with REQUIREMENTS.open(encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two benches at once: the second one waits
        if not importlib.util.find_spec("matplotlib"):
            install()
    import matplotlib

    matplotlib.use("Agg")
    return importlib.import_module("matplotlib.pyplot")


@contextmanager
def picture(target: Path, title: str, x: str, y: str) -> Iterator[Any]:
    """One diagram, whose axes the caller fills."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5))
    axes.set(title=title, xlabel=x, ylabel=y)
    yield axes
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)


def install() -> None:
    """Into the environment of this interpreter."""
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]
    try:
        proc.run(words, "installing what draws plots")
    except UserError as error:
        raise UserError(error.what, "check the network, then run the bench again") from error
    importlib.invalidate_caches()
