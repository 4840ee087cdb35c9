# SPDX-License-Identifier: MIT
"""What bench/nanvix draws of kernel calls, without what draws: whose parts of a bar add up to which rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.measure import benches, drawing

callers, plots = (benches.module("nanvix", name) for name in ("callers", "plots"))


class Axes:
    """Stands in for a diagram: its bars, by their labels."""

    def __init__(self) -> None:
        self.bars: dict[str, tuple[list[Any], list[float], list[float]]] = {}
        self.title = ""

    def set(self, title: str, **_labels: str) -> None:
        self.title = title

    def bar(self, at: list[Any], heights: list[float], label: str, bottom: list[float] | None = None) -> None:
        self.bars[label] = (list(at), list(heights), list(bottom or [0] * len(heights)))

    def grid(self, **_how: float) -> None: ...

    def legend(self, **_how: float) -> None: ...


class Plots:
    """Stands in for the package and its one figure."""

    def __init__(self, axes: Axes) -> None:
        self.axes, self.files = axes, list[Path]()

    def subplots(self, **_how: object) -> tuple[Plots, Axes]:
        return self, self.axes

    def tight_layout(self) -> None: ...

    def savefig(self, target: Path, **_how: object) -> None:
        self.files.append(target)

    def close(self, _figure: object) -> None: ...


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Plots:
    made = Plots(Axes())
    monkeypatch.setattr(drawing, "pyplot", lambda: made)
    return made


def tops(axes: Axes) -> list[float]:
    """The ends of the last bars, which stand on the others."""
    *_, (_at, heights, bottoms) = axes.bars.values()
    return [height + bottom for height, bottom in zip(heights, bottoms, strict=True)]


def test_a_local_call_is_its_way_in_and_out_and_the_rest(drawn: Plots) -> None:
    plots.local({64: (51, 29), 32: (53, 30)}, Path("fig4.png"))
    way, rest = drawn.axes.bars.values()
    assert way == (["64-bit harts", "32-bit harts"], [29, 30], [0, 0])
    assert rest[1:] == ([22, 23], [29, 30])
    assert (tops(drawn.axes), drawn.files) == ([51, 53], [Path("fig4.png")])
    assert "Fig. 4" in drawn.axes.title


def test_a_remote_call_is_its_callers_part_and_the_masters(drawn: Plots) -> None:
    plots.callers({1: callers.Cost(160, 120, 40), 2: callers.Cost(150, 115, 35)}, Path("fig5.png"))
    assert drawn.axes.bars["caller"][1] == [120, 115]
    assert (tops(drawn.axes), drawn.files) == ([160, 150], [Path("fig5.png")])
