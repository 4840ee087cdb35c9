# SPDX-License-Identifier: MIT
"""Two workers (pytest-xdist) share the tests, module by module. Boards are what they would wait for: so they begin at two ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SYSTEM = Path(__file__).resolve().parent / "system"
ALONE, BESIDE, NO_BOARD = range(3)


def kind(item: pytest.Item) -> int:
    """What boards its module has (system/turns.py)."""
    module = item.getparent(pytest.Module)
    if SYSTEM not in item.path.parents:
        return NO_BOARD
    return BESIDE if module and module.get_closest_marker("beside") else ALONE


class TwoEnds(LoadFileScheduling):
    """A module stays with one worker. The first one begins with boards that run alone, another one with what needs none."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
