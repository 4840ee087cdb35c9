# SPDX-License-Identifier: MIT
"""What only benches draw with is not on the way of any other command, and comes when one draws."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from amalgam import paths, proc
from amalgam.errors import UserError
from amalgam.measure import drawing


def amalgam() -> ModuleType:
    """The program ./amalgam, not run."""
    loader = SourceFileLoader("amalgam_program", str(paths.ROOT / "amalgam"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def packages(words: list[Any]) -> set[str]:
    """What a line of pip installs, by the file that it names."""
    text = Path(words[words.index("-r") + 1]).read_text(encoding="utf-8")
    return set(re.findall(r"^([\w-]+)==", text, re.MULTILINE))


def test_the_first_command_installs_nothing_that_only_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, ran = amalgam(), []

    class Done:
        returncode = 0

    def record(words: list[str], **_options: object) -> Done:
        ran.append(words)
        (tmp_path / "new").mkdir(exist_ok=True)
        return Done()

    monkeypatch.setattr(program, "VENV", tmp_path / "new")
    monkeypatch.setattr(program.subprocess, "run", record)
    program.environment()
    (installed,) = [packages(words) for words in ran if "pip" in words]
    assert {"PyYAML", "pytest"} <= installed
    assert "matplotlib" not in installed


def test_no_command_and_no_test_names_what_draws() -> None:
    """A bench asks for it by drawing.py, which knows how to get it."""
    files = [f for part in ("tools", "tests", "bench") for f in (paths.ROOT / part).rglob("*.py")]
    importing = {f.name for f in files if re.search(r"^\s*(?:import|from) matplotlib", f.read_text(encoding="utf-8"), re.MULTILINE)}
    assert importing == {"drawing.py"}


def test_a_bench_that_draws_installs_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[Any]] = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if not ran else name)
    monkeypatch.setattr(proc, "run", lambda words, _what: ran.append(words))
    monkeypatch.setitem(drawing.sys.modules, "matplotlib", Drawn("matplotlib"))
    monkeypatch.setitem(drawing.sys.modules, "matplotlib.pyplot", Drawn("matplotlib.pyplot"))
    assert drawing.pyplot() is drawing.pyplot()
    assert [packages(words) for words in ran] == [{"matplotlib"}]


def test_without_a_network_a_bench_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_words: list[Any], what: str) -> None:
        raise UserError(f"{what} failed", "by hand")

    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(proc, "run", fails)
    with pytest.raises(UserError, match="installing what draws plots failed"):
        drawing.pyplot()


class Drawn(ModuleType):
    """Stands in for the package."""

    def use(self, _backend: str) -> None:
        """Pictures go to files."""
