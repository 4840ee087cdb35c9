# SPDX-License-Identifier: MIT
"""Where in which file something was written, and the list of everything found wrong there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from amalgam.errors import UserError, visible
from amalgam.paths import shown


@dataclass(frozen=True)
class Mark:
    """A place in a file; lines and columns count from 1."""

    file: Path
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{shown(self.file)}:{self.line}:{self.column}"


@dataclass
class Placed:
    """Something with a place, and a place for each of its keys."""

    mark: Mark
    at: dict[str, Mark]

    def where(self, key: str) -> Mark:
        return self.at.get(key, self.mark)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, and what would be right."""

    mark: Mark
    wrong: str
    right: str

    def __str__(self) -> str:
        return visible(f"{self.mark}: error: {self.wrong}; {self.right}", keeps="")

    def record(self) -> dict[str, object]:
        """The same for --json."""
        return {"file": shown(self.mark.file), "line": self.mark.line, "column": self.mark.column, "wrong": self.wrong, "right": self.right}


@dataclass
class Diagnostics:
    """Collects problems, so that one pass reports all of them."""

    problems: list[Problem] = field(default_factory=list)

    def error(self, mark: Mark, wrong: str, right: str) -> None:
        """Note a problem; the same words at the same place count once."""
        problem = Problem(mark, wrong, right)
        if problem not in self.problems:
            self.problems.append(problem)

    def stop_if_any(self, what: str) -> None:
        """Raise everything noted so far, in file order."""
        if self.problems:
            order = sorted(self.problems, key=lambda p: (str(p.mark.file), p.mark.line, p.mark.column))
            raise SystemFileError(what, order)


class SystemFileError(UserError):
    """A system file is wrong: the text is all its problems, one a line."""

    def __init__(self, what: str, problems: list[Problem]):
        count = f"{len(problems)} error{'s' if len(problems) > 1 else ''}"
        super().__init__("\n".join(str(p) for p in problems) + f"\n{what}: {count}", "the reference is docs/system-file.md")
        self.problems = problems
