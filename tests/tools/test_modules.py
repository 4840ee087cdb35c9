# SPDX-License-Identifier: MIT
"""`test --qemu10`: a list of modules that can be continued, and hides nothing that differs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts import qemu10
from amalgam.build import modules
from amalgam.build.modules import Kept, Result
from amalgam.commands import test as command
from amalgam.errors import UserError

MIXED = """
import os
import pytest

def test_same(): pass
def test_there(): assert os.environ["AMALGAM_QEMU"] != "10", "it counts 5"
def test_never(): assert 0, "it is broken"
@pytest.mark.skip(reason="there is none")
def test_skipped(): pass
"""
COUNTING = """
from pathlib import Path

def test_counts(): Path({file!r}).open("a").write(".")
"""
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    words = (sys.executable, "-m", "pytest", "-c", "/dev/null", f"--rootdir={tmp_path}", "-p", "no:cacheprovider")

    def once(text: str = "test_", *options: str) -> tuple[int, str]:
        said: list[str] = []
        status = modules.run(words, text, options, "10", said.append, tmp_path / "kept.json", tmp_path)
        return status, "\n".join(said)

    return once


def test_what_fails_there_alone_differs_and_nothing_is_hidden(tmp_path: Path, run: Run) -> None:
    (tmp_path / "test_mixed.py").write_text(MIXED, encoding="utf-8")
    status, said = run()
    assert status == 1
    assert "1 passed, 2 failed, 1 skipped" in said
    for line in (
        "differs: test_there: AssertionError: it counts 5",
        "fails on both: test_never: Ass",
        "skipped: test_skipped: there is none",
    ):
        assert f"  {line}" in said, said
    assert "1 modules: 1 passed, 1 skipped, 1 differ, 1 fail on both" in said
    [log] = [line.removeprefix("  more: ") for line in said.splitlines() if line.startswith("  more: ")]
    assert "it counts 5" in Path(log).read_text()


def test_the_next_run_goes_on_behind_what_has_passed(tmp_path: Path, run: Run) -> None:
    counted = tmp_path / "counted"
    (tmp_path / "test_a.py").write_text(COUNTING.format(file=str(counted)), encoding="utf-8")
    (tmp_path / "test_b.py").write_text(MIXED, encoding="utf-8")
    assert run()[0] == 1
    (tmp_path / "test_b.py").write_text("def test_mended(): pass\n", encoding="utf-8")
    status, said = run()
    assert status == 0 and counted.read_text() == "."
    assert "2 modules: 2 passed, 0 skipped, 0 differ, 0 fail on both" in said


def test_a_module_that_was_not_seen_to_the_end_says_so_and_runs_again(tmp_path: Path, run: Run) -> None:
    (tmp_path / "test_a.py").write_text("import os\ndef test_ends(): os._exit(137)\n", encoding="utf-8")
    status, said = run()
    assert status == 1 and "test_a.py" in said and "pytest ended with 137" in said
    kept = Kept(tmp_path / "kept.json")
    kept.put("test_a.py", Result())  # as it is while the module runs
    assert "begun, not seen to the end" in kept.results["test_a.py"].line("test_a.py")
    (tmp_path / "test_a.py").write_text("def test_ends(): pass\n", encoding="utf-8")
    assert run()[0] == 0


def test_what_never_ran_comes_before_what_was_not_seen_to_the_end(tmp_path: Path, run: Run) -> None:
    order = tmp_path / "order"
    for name in ("a", "b"):
        text = f"from pathlib import Path\ndef test_it(): Path({str(order)!r}).open('a').write({name!r})\n"
        (tmp_path / f"test_{name}.py").write_text(text, encoding="utf-8")
    Kept(tmp_path / "kept.json").put("test_a.py", Result())
    assert run()[0] == 0 and order.read_text() == "ba"


def test_a_row_that_is_counted_otherwise_is_printed(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    counted = {"": {"cpuid": 104.0, "msr": 95.0}, "10": {"cpuid": 104.0, "msr": 96.0}}
    monkeypatch.setattr(modules, "rows", lambda _bench, version: counted[version])
    status, said = run("rows of exits")
    assert status == 1 and "differs: msr: 95.0 by the machine's own, 96.0 there" in said and "cpuid" not in said
    assert json.loads((tmp_path / "kept.json").read_text())["rows of exits"]["passed"] == 1


def test_rows_that_a_plugin_counts_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = [("msr", "instructions", 95), ("msr-kernel", "instructions", 95), ("exits-per-second-idle", "exits/s", 36.8)]
    text = json.dumps({"rows": [{"metric": name, "unit": unit, "value": value} for name, unit, value in counted]})
    monkeypatch.setattr(modules.subprocess, "run", lambda *_args, **_more: subprocess.CompletedProcess([], 0, f"built\n{text}\n"))
    assert modules.rows("exits", "10") == {"msr": 95}


def test_a_bench_without_rows_is_a_failure_and_the_list_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_bench: str, _version: str) -> dict[str, float]:
        raise subprocess.CalledProcessError(3, "bench")

    monkeypatch.setattr(modules, "rows", fails)
    status, said = run("rows of exits")
    assert status == 1 and "bench exits: no rows: it ended with 3" in said and "1 modules:" in said


def test_a_name_that_no_module_has_is_refused(run: Run) -> None:
    with pytest.raises(UserError, match="'nowhere' in its path"):
        run("nowhere")


def test_what_passed_with_other_options_runs_again(tmp_path: Path, run: Run) -> None:
    counted = tmp_path / "counted"
    (tmp_path / "test_a.py").write_text(COUNTING.format(file=str(counted)), encoding="utf-8")
    assert run("test_", "-k", "nothing_like_it")[0] == 0 and not counted.exists()
    assert run()[0] == 0 and counted.read_text() == "."


def test_results_are_one_runs_at_a_time_and_what_is_none_is_told(tmp_path: Path, run: Run) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    with modules.alone(tmp_path / "kept.json"), pytest.raises(UserError, match="another run"):
        run()
    (tmp_path / "kept.json").write_text('{"test_a.py": {"of a later version": 1}}', encoding="utf-8")
    with pytest.raises(UserError, match="no results that this version knows"):
        run()


def test_the_machines_own_emulator_is_not_the_other_one_that_path_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([f"/cache/{qemu10.OURS}1/bin", "/usr/bin", "/bin"]))
    assert modules.environment("")["PATH"] == os.pathsep.join(["/usr/bin", "/bin"])


def test_options_behind_two_dashes_are_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setenv("AMALGAM_TIMEOUT_SCALE", "1")  # the command sets it
    monkeypatch.setattr(qemu10, "is_machines_own", lambda: False)
    monkeypatch.setattr(modules, "run", lambda _pytest, text, options, *_more: asked.append((text, options)))
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    command.run(parser.parse_args(["test", "--qemu10", "--", "-x", "--full"]))
    command.run(parser.parse_args(["test", "--qemu10", "attach/", "--", "-x"]))
    assert asked == [("", ["-x", "--full"]), ("attach/", ["-x"])]


def test_a_list_runs_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(qemu10, "is_machines_own", lambda: False)
    monkeypatch.setattr(modules, "run", lambda *_words: pytest.fail("it ran"))
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    command.run(parser.parse_args(["test", "--qemu10", "--list", "attach/test_g"]))
    command.run(parser.parse_args(["test", "--qemu10", "--list", "rows of"]))
    assert capsys.readouterr().out == "attach/test_give.py\nrows of exits\n"
