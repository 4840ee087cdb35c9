# SPDX-License-Identifier: MIT
"""Two workers (pytest-xdist) share the tests, module by module. Boards are what they would wait for, so they begin at two ends: one with
boards that run alone, the other one with what needs no board. Then both take modules from the front: while the one has a board alone,
the other one compiles; boards that run beside others are left to the end, when both have some."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SYSTEM = Path(__file__).resolve().parent / "system"
ALONE, BESIDE, NO_BOARD = range(3)
LONGEST = "test_budgets.py"


def kind(item: pytest.Item) -> int:
    """What boards its module has (system/turns.py)."""
    module = item.getparent(pytest.Module)
    if SYSTEM not in item.path.parents:
        return NO_BOARD
    return BESIDE if module and module.get_closest_marker("beside") else ALONE


def order(item: pytest.Item) -> tuple[int, bool]:
    """By the kind; of those beside others the longest module first, so that no worker has it alone at the end."""
    return kind(item), item.path.name != LONGEST


def needs_no_board(module: str) -> bool:
    """By its path from the root of the tree."""
    return not module.startswith("tests/system/")


class TwoEnds(LoadFileScheduling):
    """A module stays with one worker. The first one takes modules from the front, another one from the end what needs no board first."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        last = next(reversed(self.workqueue))
        if node is not self.nodes[0] and needs_no_board(last):
            self.workqueue.move_to_end(last, last=False)
        super()._assign_work_unit(node)
