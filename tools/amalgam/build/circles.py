# SPDX-License-Identifier: MIT
"""Files that need each other, by a graph of who needs whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Files = frozenset[str]


def circles(graph: Mapping[str, Iterable[str]]) -> list[Files]:
    """Strongly connected sets of more than one file (Tarjan, SIAM J. Comput. 1(2), 1972)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[Files] = []

    def visit(file: str) -> None:
        number[file] = lowest[file] = len(number)
        stack.append(file)
        for other in graph.get(file, ()):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == number[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    for file in graph:
        if file not in number:
            visit(file)
    return found
