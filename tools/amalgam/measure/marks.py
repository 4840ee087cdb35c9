# SPDX-License-Identifier: MIT
"""What the plugins that see the marks of harts write (tools/plugin/clocks.c, caches.c), as they have it in common: lines up to their end,
marks in pairs and in windows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from amalgam.errors import UserError


class HartMark(Protocol):
    """An executed mark."""

    @property
    def number(self) -> int: ...

    @property
    def hart(self) -> int: ...


M = TypeVar("M", bound=HartMark)


def lines_of(out: Path, plugin: str) -> list[str]:
    """What a plugin wrote, line by line; the last one says that it came to its end."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.is_file() else []
    if not lines or not lines[-1].startswith("end "):
        raise UserError(f"{plugin} did not come to its end", "the board must end by itself or by SIGTERM, not by SIGKILL")
    return lines


def pairs(marks: Sequence[M], begin: int, end: int, samples: int) -> list[tuple[M, M]]:
    """Each mark `begin` with the next mark `end` of the same hart. A begin without its end, or the other way round, is an error, and so are fewer than `samples`."""
    open_: dict[int, M] = {}
    found = []
    for mark in marks:
        if (mark.number == begin and mark.hart in open_) or (mark.number == end and mark.number != begin and mark.hart not in open_):
            raise UserError(f"mark {mark.number} of hart {mark.hart} has no other one", "marks come in pairs, each pair of one hart")
        if mark.number == end and mark.hart in open_:
            found.append((open_.pop(mark.hart), mark))
        elif mark.number == begin:
            open_[mark.hart] = mark
    if open_ or len(found) < samples:
        raise UserError(f"{len(found)} spans from mark {begin} to {end}, {samples} were wanted", "look at what the board said")
    return found


def windows(marks: Sequence[M], begins: range, end: int) -> list[list[M]]:
    """All windows from a mark in `begins` to the mark `end` of the same hart, in the order of their ends: the marks of each. Marks outside are
    not looked at."""
    open_: dict[int, list[M]] = {}
    found = []
    for mark in marks:
        if mark.number in begins:
            if mark.hart in open_:
                raise UserError(f"hart {mark.hart} begins a window in a window", "look at what the board said")
            open_[mark.hart] = [mark]
        elif mark.hart in open_:
            open_[mark.hart].append(mark)
            if mark.number == end:
                found.append(open_.pop(mark.hart))
    if open_:
        raise UserError(f"{len(open_)} windows did not end", "look at what the board said")
    return found
