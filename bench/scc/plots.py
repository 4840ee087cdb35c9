# SPDX-License-Identifier: MIT
"""Pictures of the speed-ups, in build/bench/scc/."""

from __future__ import annotations

from pathlib import Path

from amalgam.drawing import pyplot


def speed_ups(paths_of: dict[str, dict[int, int]], target: Path, title: str) -> None:
    """Of each program, by the number of cores."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5))
    axes.set(title=title, xlabel="cores", ylabel="speed-up on the critical path")
    for name, paths in paths_of.items():
        axes.plot(list(paths), [paths[1] / path for path in paths.values()], "o-", label=name)
    most = max(max(paths) for paths in paths_of.values())
    axes.plot([1, most], [1, most], "k--", label="ideal")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
