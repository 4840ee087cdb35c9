# SPDX-License-Identifier: MIT
"""The kernel that runs above OpenSBI on the board `virt` runs in each cluster, unchanged: the firmware's calls are the same."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.beside


def test_each_cluster_has_a_kernel_with_all_its_harts(running) -> None:
    layout = {"io": {"kind": "io"}, "compute": {"count": 4}}
    with running({"system": "kernels", "board": "manycore", "kernel": "shape:virt", "clusters": layout}) as board:
        for number, name in enumerate(board.names):
            board[name].expect(r"^Amalgam, 4 cores, \d+ MiB free, loaded by SBI")
            board[name].expect(f"^cluster {number} of 5")
