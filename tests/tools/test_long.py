# SPDX-License-Identifier: MIT
"""How long a test of the long run may take: whoever is in that run alone, or does more in it, has hours."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


class Item:
    """What is asked of a collected test."""

    def __init__(self, fixtures: tuple[str, ...], *marks: pytest.MarkDecorator):
        self.fixturenames, self.marks = fixtures, {decorator.mark.name: decorator.mark for decorator in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, decorator: pytest.MarkDecorator) -> None:
        self.marks[decorator.mark.name] = decorator.mark


@pytest.mark.parametrize(
    ("fixtures", "marks", "hours"),
    [
        (("boot", "full"), (), 3),
        (("boot",), (pytest.mark.full,), 3),
        (("boot",), (pytest.mark.full, pytest.mark.timeout(18_000)), 5),
        (("boot",), (), None),
    ],
)
def test_a_long_test_has_hours(
    request: pytest.FixtureRequest, fixtures: tuple[str, ...], marks: tuple[pytest.MarkDecorator, ...], hours: int | None
) -> None:
    conftest = next(plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "LONG_S"))
    item = Item(fixtures, *marks)
    conftest.pytest_collection_modifyitems(SimpleNamespace(getoption=lambda _name: True), [item])
    limit = item.get_closest_marker("timeout")
    assert (limit and limit.args[0] / 3600) == hours
