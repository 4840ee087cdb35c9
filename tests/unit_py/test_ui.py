# SPDX-License-Identifier: MIT
"""How figures are shown."""

from __future__ import annotations

import pytest
from amalgam.ui import number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("n/a", "n/a"),
        (True, "True"),
        (12345, "12,345"),
        (12345.67, "12,345.7"),
        (0.99951, "0.9995"),
        (1.00041, "1.0004"),
        (1.0, "1"),
        (17.712, "17.71"),
    ],
)
def test_number(value: object, text: str) -> None:
    assert number(value) == text
