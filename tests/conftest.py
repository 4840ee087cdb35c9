# SPDX-License-Identifier: MIT
"""What all tests share: the long variants run with --full only; two workers may share the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import cost
import pytest
from amalgam import artifacts
from units import Jobs

LONG_S = 3 * 3600  # what a long variant may take; the short ones have pytest.ini's limit


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also the long variants")


def pytest_configure(config: pytest.Config) -> None:
    """The emulator that AMALGAM_QEMU names; what a slice costs. And a shell's background job ignores SIGINT, so would all that the tests start."""
    artifacts.choose_emulator()
    cost.count(config, is_worker(config))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Modules in the order in which they were collected, from two ends."""
    from workers import TwoEnds

    config.option.loadscopereorder = False
    return TwoEnds(config, log)


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of several that share the tests."""
    return hasattr(config, "workerinput")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if is_worker(config):
        from workers import order

        items.sort(key=order)
    if config.getoption("--full"):
        for item in items:
            is_long = "full" in getattr(item, "fixturenames", ()) or item.get_closest_marker("full")
            if is_long and not item.get_closest_marker("timeout"):
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests have to say at the end, e.g. which Linux they ran on: their property `summary`."""
    reports = (report for found in terminalreporter.stats.values() for report in found)
    said = {line for report in reports for name, line in getattr(report, "user_properties", ()) if name == "summary"}
    for line in sorted(said):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session", autouse=True)
def jobs(request: pytest.FixtureRequest, full: bool) -> Iterator[Jobs]:
    """Those of test_units.py that were chosen: begun with the session, or by the worker that has them with the first one."""
    chosen = [item for item in request.session.items if item.path.name == "test_units.py"]
    jobs = Jobs(((item.originalname.removeprefix("test_"), item.callspec.params["name"]) for item in chosen), full)
    if not is_worker(request.config):
        jobs.begin()
    yield jobs
    jobs.stop()
