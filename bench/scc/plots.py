# SPDX-License-Identifier: MIT
"""Pictures of the speed-ups, in build/bench/scc/."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from amalgam.measure.drawing import picture, pyplot


def speed_ups(paths_of: dict[str, dict[int, int]], target: Path, title: str) -> None:
    """Of each program, by the number of cores."""
    with picture(target, title, "cores", "speed-up on the critical path") as axes:
        for name, paths in paths_of.items():
            axes.plot(list(paths), [paths[1] / path for path in paths.values()], "o-", label=name)
        most = max(max(paths) for paths in paths_of.values())
        axes.plot([1, most], [1, most], "k--", label="ideal")


PROGRAMS, MODELS = ("jacobi", "matmul", "fft", "ep"), ("lazy", "strong", "openmp", "rcce")


def curves(values: dict[str, float], counts: Sequence[int], target: Path) -> None:
    """The speed-up of each program by the number of cores, a picture for each model, by the rows' names."""
    plt = pyplot()
    figure, axes = plt.subplots(2, 2, figsize=(10, 10), sharex=True, sharey=True)
    for model, axis in zip(MODELS, axes.flat, strict=True):
        axis.set(title=model, xlabel="cores", ylabel="speed-up on the critical path")
        for program in PROGRAMS:
            found = [(1, 1.0)] + [(n, values[name]) for n in counts if (name := f"{program}-{model}-{n}") in values]
            axis.plot(*zip(*found, strict=True), "o-", label=program)
        axis.plot([1, counts[-1]], [1, counts[-1]], "k--", label="ideal")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)


def by_model(values: dict[str, float], cores: int, target: Path) -> None:
    """The speed-up of each program by each model on so many cores, by the rows' names; a bar that has no row is left out."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(8, 5))
    axes.set(title=f"Parallel programs on {cores} cores", ylabel="speed-up on the critical path", ylim=(0, cores))
    for at, model in enumerate(MODELS):
        found = [(x, values[name]) for x, program in enumerate(PROGRAMS) if (name := f"{program}-{model}-{cores}") in values]
        axes.bar([x + 0.2 * at - 0.3 for x, _value in found], [value for _x, value in found], 0.18, label=model)
    axes.set_xticks(range(len(PROGRAMS)), PROGRAMS)
    axes.grid(alpha=0.3, axis="y")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(target, dpi=120, metadata={"Software": None})
    plt.close(figure)
