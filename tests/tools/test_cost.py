# SPDX-License-Identifier: MIT
"""The slice `second` counts what it costs (tests/cost.py): its own time and its children's, and refuses what is far above the goal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import cost
import pytest
from amalgam import paths

TEST = """import subprocess, sys
def test_second_one():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"], check=True)
def test_second_two():
    pass
"""


@pytest.mark.parametrize(
    ("seconds", "built", "words", "refused"),
    [
        (89.4, False, "second: 89.4 s of processor time (goal 90)", False),
        (90.1, False, "second: 90.1 s of processor time (goal 90, missed)", False),
        (120.1, False, "second: 120.1 s of processor time (goal 90, above 120: refused)", True),
        (500, True, "second: 500.0 s of processor time (goal 90, not judged: something was compiled)", False),
    ],
)
def test_a_slice_far_above_its_goal_is_refused(
    monkeypatch: pytest.MonkeyPatch, seconds: float, built: bool, words: str, refused: bool
) -> None:
    monkeypatch.setattr(cost, "SCALE", 1.0)
    assert cost.verdict(seconds, built) == (words, refused)


def test_who_judges_on_a_slow_host_gives_it_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "SCALE", 3.0)
    assert not cost.verdict(359, False)[1]
    assert cost.verdict(361, False)[1]


def test_a_file_that_goes_away_meanwhile_is_nothing_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    assert cost.newest() == 0
    (tmp_path / "gone.o").symlink_to("nowhere")
    made = tmp_path / "shape" / "made.c.o"
    made.parent.mkdir()
    made.touch()
    os.utime(made, (1, 12))
    assert cost.newest() == 12


def run(folder: Path, most: float, *words: str) -> subprocess.CompletedProcess[str]:
    """Both tests in a run of their own, whose builds nobody looks for."""
    (folder / "test_second_things.py").write_text(TEST, encoding="utf-8")
    (folder / "conftest.py").write_text(
        f"import cost\ncost.MOST_S = {most}\ncost.newest = lambda: 0.0\n"
        "def pytest_configure(config): cost.count(config, hasattr(config, 'workerinput'))\n",
        encoding="utf-8",
    )
    where = os.pathsep.join(str(paths.ROOT / name) for name in ("tests", "tools"))
    env = {**os.environ, "PYTHONPATH": where, "AMALGAM_TIMEOUT_SCALE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, folder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    return done


@pytest.mark.parametrize(("most", "status"), [(120, 0), (0.4, 1)])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_of_the_slice_counts_its_tests_and_their_children(tmp_path: Path, most: float, status: int, workers: str) -> None:
    """Half a second is a child's: it is there whatever the host does. With more than is allowed the run is no success, though all tests passed."""
    done = run(tmp_path, most, "-n", workers, "-k", "second")
    found = re.search(r"^second: ([\d.]+) s of processor time \(goal 90(, above 0\.4: refused)?\)$", done.stdout, re.M)
    assert found, done.stdout + done.stderr
    assert float(found[1]) >= 0.5
    assert (done.returncode, bool(found[2])) == (status, bool(status))


def test_a_run_of_all_is_not_judged(tmp_path: Path) -> None:
    """It compiles, and its figures are the suite's."""
    done = run(tmp_path, 0.4, "-n", "0")
    assert done.returncode == 0
    assert "processor time" not in done.stdout
