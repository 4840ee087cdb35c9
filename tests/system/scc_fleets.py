# SPDX-License-Identifier: MIT
"""Systems of the scc-fleet board, for its tests."""

from __future__ import annotations

from typing import Any

CHOSEN = (0, 5, 46, 47)
JACOBI = {"jacobi": {"kind": "task", "task": "svm", "cores": [0]}}


def of(domains: dict[str, Any], board: str = "scc-fleet") -> dict[str, Any]:
    return {"system": "scc-fleet-test", "board": board, "domains": domains}
