# SPDX-License-Identifier: MIT
"""Errors that are the user's to solve: what is wrong, and the next step."""

from __future__ import annotations

import errno
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


class UserError(Exception):
    """Printed as `amalgam: error: WHAT` and `  next: STEP`; ends the command with `status`."""

    def __init__(self, what: str, step: str = "", status: int = 1):
        super().__init__(what)
        self.what = what
        self.step = step
        self.status = status


class SiteError(UserError):
    """A site was not reached: nothing is wrong with this machine but its network."""


def visible(text: str, keeps: str = "\n") -> str:
    """`text` for a terminal: of what does not print, as in a stranger's file, only the characters of `keeps` are left as they are."""
    return "".join(c if c.isprintable() or c in keeps else c.encode("unicode_escape").decode() for c in text)


def explained(error: OSError, path: Path | None = None) -> UserError:
    """What the operating system refuses, as the user's to solve. `path`: of the file that was written, which the error may not name."""
    name = path or error.filename
    what = f"cannot use '{name}': {error.strerror}" if name else str(error.strerror or error)
    if error.errno in FULL:
        return UserError(what, "free some space: what the tools make lies below build/ and .cache/ of the checkout")
    if error.errno in CLOSED:
        return UserError(what, "make it writable, or work in a copy of the checkout: the tools write below its build/ and .cache/")
    return UserError(what, "see that this file can be read and written")


def nearest(word: str, known: list[str]) -> str:
    """` (did you mean 'x'?)` when one of `known` resembles `word`, else nothing."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""
