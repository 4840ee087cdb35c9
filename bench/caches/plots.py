# SPDX-License-Identifier: MIT
"""The bench's pictures in build/bench/caches/: sizes and ways of caches of instructions, stalls, pairs of threads on banks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from amalgam.measure.drawing import picture


def sizes(missed: dict[tuple[str, int], dict[int, float]], target: Path) -> None:
    with picture(target, "Lines of instructions that a call misses", "KiB", "lines a call") as axes:
        for (what, ways), by_size in missed.items():
            style = "o-" if what == "local" else "s:"
            axes.plot(list(by_size), list(by_size.values()), style, label=f"{what} call, {ways} ways")
        at = list(next(iter(missed.values())))
        axes.set_xscale("log")
        axes.set_xticks(at, [str(size) for size in at])


def ways(missed: Mapping[tuple[str, str], float], kinds: Sequence[str], counts: Sequence[int], target: Path) -> None:
    """Co-design: more ways, or a buffer that brings the next line."""
    with picture(target, "Lines of instructions that all harts miss, 8 KiB a hart", "ways", "lines an operation") as axes:
        for i, kind in enumerate(kinds):
            for style, more, words in (("o-", "", ""), ("s:", "-ahead", ", with the next line")):
                at = [missed[kind, f"{n}-way{more}"] for n in counts]
                axes.plot([str(n) for n in counts], at, style, color=f"C{i}", label=f"{kind}{words}")


def stalls(shares: Mapping[str, tuple[float, float]], paper: Mapping[str, tuple[str, str]], target: Path) -> None:
    """Of figures 4 and 5 the bars that caches have: branches and registers are of a VLIW's pipeline, which no emulator has."""
    with picture(target, "What a caller waits for its caches (paper: Figs. 4, 5)", "", "% of its cycles") as axes:
        at = range(len(shares))
        for side, kind in enumerate(("instructions", "data")):
            theirs = [float(paper[name][side].split()[0]) if name in paper else 0 for name in shares]
            axes.bar([x + 0.2 * (2 * side) - 0.3 for x in at], [share[side] for share in shares.values()], 0.18, label=f"{kind}, here")
            axes.bar([x + 0.2 * (2 * side) - 0.1 for x in at], theirs, 0.18, label=f"{kind}, the paper's machine")
        axes.set_xticks(list(at), [name.replace("-", ", ") for name in shares])


def buffer(found: Mapping[int, Mapping[int, float]], pairs: int, target: Path) -> None:
    """Fig. 6 where copies wait for banks."""
    at = list(range(1, pairs + 1))
    with picture(target, "Buffer on banks (paper: Fig. 6)", "pairs", "speed-up") as axes:
        axes.plot(at, at, "k--", label="ideal")
        axes.plot([4, 7], [4, 0.95 * 7], "k*", label="the paper's words")
        for banks, by_pairs in found.items():
            axes.plot(at, [n * by_pairs[n] for n in at], label="1 bank" if banks == 1 else f"{banks} banks")


def clusters(found: Mapping[tuple[int, int], float], cores: Sequence[int], mib: Sequence[int], target: Path) -> None:
    """Co-design: cores by memory, of which each 128 KiB are a bank."""
    with picture(target, "Pairs of threads in clusters of other dimensions", "MiB", "of their ideal speed-up") as axes:
        for n in cores:
            axes.plot([str(m) for m in mib], [found[n, m] for m in mib], "o-", label=f"{n} cores")
        axes.set_ylim(0.9, 1.01)
