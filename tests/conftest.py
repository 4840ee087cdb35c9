# SPDX-License-Identifier: MIT
"""What all tests share: the long variants run with --full only."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from units import Jobs

LONG_S = 3 * 3600  # what a long variant may take; the short ones have pytest.ini's limit


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also the long variants")


def pytest_configure() -> None:
    """A shell's background job ignores SIGINT, and so would all that the tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        for item in items:
            if "full" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(LONG_S))
        return
    skipped = [item for item in items if "full" in item.keywords and item.get_closest_marker("full")]
    if skipped:
        config.hook.pytest_deselected(items=skipped)
        items[:] = [item for item in items if item not in skipped]


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether this is the long run: tests scale their counts by it."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session", autouse=True)
def jobs(request: pytest.FixtureRequest, full: bool) -> Iterator[Jobs]:
    """Those of test_units.py that were chosen."""
    chosen = [item for item in request.session.items if item.path.name == "test_units.py"]
    jobs = Jobs(((item.originalname.removeprefix("test_"), item.callspec.params["name"]) for item in chosen), full)
    yield jobs
    jobs.stop()
