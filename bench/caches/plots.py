# SPDX-License-Identifier: MIT
"""What a call misses, by the size of the cache of instructions: build/bench/caches/sizes.png."""

from __future__ import annotations

from pathlib import Path

from amalgam.measure.drawing import pyplot


def sizes(missed: dict[tuple[str, int], dict[int, float]], target: Path) -> None:
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5))
    for (what, ways), by_size in missed.items():
        style = "o-" if what == "local" else "s:"
        axes.plot(list(by_size), list(by_size.values()), style, label=f"{what} call, {ways} ways")
    axes.set(title="Lines of instructions that a call misses", xlabel="KiB", ylabel="lines a call", xscale="log")
    axes.set_xticks(list(next(iter(missed.values()))), [str(size) for size in next(iter(missed.values()))])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
