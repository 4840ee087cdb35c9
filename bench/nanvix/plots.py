# SPDX-License-Identifier: MIT
"""Figures 4 to 8 of the Nanvix paper with our figures, as pictures in build/bench/nanvix/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from amalgam.measure.drawing import picture


def local(calls: dict[int, tuple[float, float]], target: Path) -> None:
    """Fig. 4, with the one of its bars that an emulator without caches has: of a local call, by the bits of a hart, the way in and out."""
    with picture(target, "A local call (paper: Fig. 4)", "", "instructions a call") as axes:
        at = [f"{bits}-bit harts" for bits in calls]
        saves = [save for _, save in calls.values()]
        axes.bar(at, saves, label="the way in and out: registers, stack, program counter")
        axes.bar(at, [all_ - save for all_, save in calls.values()], bottom=saves, label="the call and the program")


def callers(costs: dict[int, Any], target: Path) -> None:
    """Fig. 5, with more callers than the paper's one: what of a remote call is whose."""
    with picture(target, "A remote call (paper: Fig. 5)", "callers at once", "instructions a call") as axes:
        at = list(costs)
        axes.bar(at, [costs[n].caller for n in at], label="caller")
        axes.bar(at, [costs[n].master for n in at], bottom=[costs[n].caller for n in at], label="master")


def buffer(local: dict[tuple[int, int], float], remote: dict[tuple[int, int], float], pairs: int, sizes: int, target: Path) -> None:
    """Fig. 6: how much faster several pairs are than one, for each size."""
    with picture(target, "Buffer (paper: Fig. 6)", "pairs", "speed-up") as axes:
        at = list(range(1, pairs + 1))
        axes.plot(at, at, "k--", label="ideal")
        for style, name, found in (("-", "in user space", local), (":", "and calls of the master", remote)):
            for kib in range(1, sizes + 1):
                axes.plot(at, [n * found[n, kib] for n in at], style, color=f"C{kib}", label=f"{kib} KiB, {name}")


def noise(efficiency: dict[int, float], target: Path) -> None:
    """Fig. 7: how little threads that compute notice of the others, which call the kernel."""
    with picture(target, "Noise (paper: Fig. 7)", "threads that compute, of 14", "efficiency") as axes:
        axes.plot(list(efficiency), [1] * len(efficiency), "k--", label="without noise")
        axes.plot(list(efficiency), list(efficiency.values()), "o-", label="the others call the master")
        axes.set_ylim(0.95, 1.01)


def threads(shares: dict[int, tuple[int, int]], target: Path) -> None:
    """Fig. 8: what it takes to create and to join several threads."""
    with picture(target, "Fork-join on one hart (paper: Fig. 8)", "threads", "instructions") as axes:
        for side, name in enumerate(("spawn", "join")):
            axes.plot(list(shares), [n * shares[n][side] for n in shares], "o-", label=name)


def barriers(paths: dict[int, float], model: Any, costs: Any, fan: int, target: Path) -> None:
    """Barriers of clusters: measured, and as the model has them."""
    at = [2**i for i in range(1, 13)]
    with picture(target, "Barriers of clusters", "clusters", "instructions, path") as axes:
        axes.loglog(list(paths), list(paths.values()), "ko", label="measured")
        axes.loglog(at, [model.barrier(n, n, costs) for n in at], label="one gathers all")
        axes.loglog(at, [model.barrier(n, fan, costs) for n in at], label=f"a tree of {fan} children")
        axes.loglog(at, [model.barrier(n, fan, costs, fan + 1) for n in at], label="and lanes only in it")


def together(clusters: dict[int, Any], harts: dict[int, float], target: Path) -> None:
    """What an operation takes while more and more clusters, or harts, do the same."""
    with picture(target, "All at the same time", "clusters, harts", "instructions, path") as axes:
        axes.plot(list(clusters), [found.call for found in clusters.values()], "o-", label="a call of the master, by clusters")
        axes.plot(list(clusters), [found.message for found in clusters.values()], "o-", label="a message there and one back, by clusters")
        axes.plot(list(harts), list(harts.values()), "s:", label="a thread's life, by harts of a cluster")
        axes.set_ylim(0)
