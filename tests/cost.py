# SPDX-License-Identifier: MIT
"""What the slice `second` costs: the processor time of its tests and of all that they start, counted by the run itself, printed at its end,
and refused if it is far above the goal.

Only a run of this slice alone is judged (`./amalgam test second`), and only one that compiled nothing. Processor time is not the time on the clock,
but a host whose processors share their parts takes more of it when it is busy, so between the goal and what is refused there is room, and more for who
judges (AMALGAM_TIMEOUT_SCALE).
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.console import SCALE

SLICE, GOAL_S, MOST_S = "second", 90, 120
PART = "processor time"  # the property of a test's report: of each of its phases


def used() -> float:
    """By this process and its children so far, those alone that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def verdict(seconds: float, built: bool) -> tuple[str, bool]:
    """A line for the summary, and whether the run is refused."""
    words = f"{SLICE}: {seconds:.1f} s of processor time (goal {GOAL_S}"
    if built:
        return f"{words}, not judged: something was compiled)", False
    if seconds > MOST_S * SCALE:
        return f"{words}, above {MOST_S * SCALE:g}: refused)", True
    return f"{words}{', missed' if seconds > GOAL_S else ''})", False


def total(reports: Iterable[Any]) -> float:
    """A test's last report has all of its parts."""
    return sum(
        part for report in reports if getattr(report, "when", "") == "teardown" for name, part in report.user_properties if name == PART
    )


def newest() -> float:
    """When an object file was made last; others may build meanwhile, and take files away."""
    made = 0.0
    for folder, _, names in os.walk(paths.BUILD):
        for name in names:
            if name.endswith(".o"):
                with contextlib.suppress(FileNotFoundError):
                    made = max(made, (Path(folder) / name).stat().st_mtime)
    return made


class Cost:
    """A plugin of pytest; with workers each of them counts, and the one that shows the summary adds up."""

    def __init__(self, shows: bool):
        self.shows, self.last, self.line = shows, used(), ""
        self.before = newest() if shows else 0.0

    def pytest_runtest_logstart(self) -> None:
        self.last = used()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> None:
        """Before the report is made, which copies the properties."""
        now = used()
        item.user_properties.append((PART, now - self.last))
        self.last = now

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if not self.shows or not terminal:
            return
        seconds = total(report for found in terminal.stats.values() for report in found)
        self.line, refused = verdict(seconds, newest() > self.before)
        if refused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.line:
            terminalreporter.write_line(self.line)


def count(config: pytest.Config, is_worker: bool) -> None:
    if config.getoption("keyword") == SLICE:
        config.pluginmanager.register(Cost(not is_worker))
