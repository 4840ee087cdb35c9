# SPDX-License-Identifier: MIT
"""Errors that are the user's to solve: what is wrong, and the next step."""

from __future__ import annotations


class UserError(Exception):
    """Printed as `amalgam: error: WHAT` and `  next: STEP`; ends the command with `status`."""

    def __init__(self, what: str, step: str = "", status: int = 1):
        super().__init__(what)
        self.what = what
        self.step = step
        self.status = status


def nearest(word: str, known: list[str]) -> str:
    """` (did you mean 'x'?)` when one of `known` resembles `word`, else nothing."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""
