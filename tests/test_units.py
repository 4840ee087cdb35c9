# SPDX-License-Identifier: MIT
"""One case for each unit test, fuzzer and model; their Makefiles know the names. A failure says how to run just that one."""

from __future__ import annotations

import pytest
from units import Jobs, names


def passes(jobs: Jobs, folder: str, name: str) -> None:
    if said := jobs.outcome(folder, name):
        pytest.fail(said, pytrace=False)


@pytest.mark.parametrize("name", names("unit"))
def test_unit(name: str, jobs: Jobs) -> None:
    passes(jobs, "unit", name)


@pytest.mark.parametrize("name", names("fuzz"))
def test_fuzz(name: str, jobs: Jobs) -> None:
    passes(jobs, "fuzz", name)


@pytest.mark.parametrize("name", names("model"))
def test_model(name: str, jobs: Jobs) -> None:
    passes(jobs, "model", name)
