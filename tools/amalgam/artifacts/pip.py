# SPDX-License-Identifier: MIT
"""Files of PyPI that are pinned by hash in a requirements file of their own, for what is kept of them in the cache. Nothing is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from .error import ArtifactError, NotFetchedError

QUIET = ("--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "20")
# What pip says if it does not get to the site, or the site has no such package.
UNREACHED = re.compile(r"could not find a version|connection|http error|timed out", re.IGNORECASE)


def download(requirement: Path, folder: Path, suffix: str, *options: str) -> Path:
    """The file that ends in `suffix`, in `folder`. NotFetchedError: pip did not get it; ArtifactError: what it got is wrong."""
    words = [sys.executable, "-m", "pip", "download", *QUIET, *options, "--no-deps", "--require-hashes", "-r", requirement, "-d", folder]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        kind = NotFetchedError if UNREACHED.search(said) else ArtifactError
        raise kind(f"pip could not download {requirement.name}: {said}")
    return next(folder.glob(f"*{suffix}"))
