# SPDX-License-Identifier: MIT
"""A kernel with both back ends leaves a guest by as few instructions as one with AMD-V alone: `bench exits` with its budgets."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam import paths
from amalgam.build.kernel import build_kernel
from amalgam.measure import benches
from support import within_budget

pytestmark = [pytest.mark.beside, pytest.mark.usefixtures("one_board")]  # counted


def test_no_way_out_of_a_guest_is_longer_where_both_back_ends_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = build_kernel("pc-both", lambda _text: None)
    monkeypatch.setattr(paths, "kernel_elf", lambda _shape="pc": kernel)
    rows = benches.load("exits", "counted_rows")(benches.Context("exits", lambda _text: None, output=tmp_path))
    within_budget("exits", {row.metric: row.value for row in rows})
