# SPDX-License-Identifier: MIT
"""The order of spin locks: what docs/locks.md permits, and which place in the source takes which lock.

As a program it writes the tables that lock_order.c compares with what unit tests do: `lock_order.py HEADER`.
"""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs/locks.md"
PLACES = ROOT / "tests/host/lock_places.txt"
TAKES = re.compile(r"\b(?:spin_lock|spin_lock_here|spin_lock_irqsave|spin_lock_by_tries|spin_try|u64_peek|u64_peek_here)\(")
OWN = "include/core/lock.h"  # defines them


class Place(NamedTuple):
    file: str  # below kernel/; may end in *
    lock: str  # as it is written there


def order(text: str) -> dict[str, set[str]]:
    """The classes of the documented table, outermost first, each with those that may be taken inside it.

    Only what stands below may: so nothing that is permitted is part of a cycle.
    """
    table = text.split("<!-- order -->")[1].split("<!-- end -->")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.strip().splitlines()[2:]]
    found = {row[0]: {inner.strip() for inner in row[3].split(",")} - {"", "-"} for row in rows}
    names = [row[0] for row in rows]
    for i, name in enumerate(names):
        if names.count(name) > 1:
            raise ValueError(f"{name} has two rows")
        for inner in sorted(found[name]):
            if inner not in names:
                raise ValueError(f"{name}: {inner}, which may be taken inside it, has no row")
            if names.index(inner) <= i:
                raise ValueError(f"{name}: {inner}, which may be taken inside it, does not stand below it")
    return found


def places(text: str) -> dict[Place, str]:
    """The class of each place."""
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {Place(file, lock): name for name, file, lock in (re.split(r"\s{2,}", line.strip()) for line in lines)}


def argument(text: str, at: int) -> list[str]:
    """The arguments of the call whose bracket opens before `at`."""
    depth, found = 1, [""]
    while depth:
        letter = text[at]
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 1:
            found.append("")
        elif depth:
            found[-1] += letter
        at += 1
    return [one.strip() for one in found]


def taken(file: str, text: str) -> list[Place]:
    """The places of a source that take a lock."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [Place(file, argument(code, m.end())[-1]) for m in TAKES.finditer(code)]


def sources() -> list[Place]:
    """All such places of the kernel."""
    kernel = ROOT / "kernel"
    files = [f for f in sorted(kernel.rglob("*.[ch]")) if f.relative_to(kernel).as_posix() != OWN]
    return [place for f in files for place in taken(f.relative_to(kernel).as_posix(), f.read_text())]


def fits(place: Place, pattern: Place) -> bool:
    return fnmatch(place.file, pattern.file) and place.lock == pattern.lock


def quoted(text: str) -> str:
    return f'"{text}"'


def header() -> str:
    """The tables for C."""
    permitted, where = order(DOCS.read_text()), places(PLACES.read_text())
    number = {name: i for i, name in enumerate(permitted, 1)}
    bits = {name: sum(1 << number[inner] for inner in inside) for name, inside in permitted.items()}
    lines = [
        f"enum {{ LOCK_CLASSES = {len(number) + 1}, LOCK_RUN_QUEUE = {number['run queue']} }};",
        f'static const char *const class_name[LOCK_CLASSES] = {{ "unknown", {", ".join(map(quoted, number))} }};',
        f"static const unsigned long long inside[LOCK_CLASSES] = {{ 0, {', '.join(hex(bits[name]) for name in number)} }};",
        "static const struct { const char *file, *lock; int class; } place[] = {",
        *(f"    {{ {quoted(p.file)}, {quoted(p.lock)}, {number[name]} }}," for p, name in where.items()),
        "    { 0, 0, 0 }",
        "};",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(header())
