# SPDX-License-Identifier: MIT
"""Another version of QEMU: who asks for it gets it, before the machine's own, and its copy is mended."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from amalgam import artifacts, cli, paths
from amalgam.artifacts import apt, emulator, qemu10
from amalgam.artifacts.error import ArtifactError
from amalgam.emulator import mend
from amalgam.errors import UserError

PLAIN, MENDED = b"(Debian)", b"(mended)"


def program(path: Path, version: str) -> Path:
    """What says that it is a QEMU of that version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'QEMU emulator version {version} (Debian)'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine whose own is QEMU 7.2, and nothing else."""
    own = program(tmp_path / "machine" / "qemu-system-x86_64", "7.2.22")
    monkeypatch.setenv("PATH", f"{own.parent}:/bin")
    qemu10.is_machines_own.cache_clear()
    yield own
    qemu10.is_machines_own.cache_clear()


def test_the_version_that_is_asked_for_comes_first(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = program(tmp_path / f"{qemu10.OURS}1234" / "bin" / old.name, "10.0.13")
    monkeypatch.setattr(qemu10, "folder", lambda _cache, _log: ours.parent)
    monkeypatch.delenv("AMALGAM_QEMU", raising=False)
    artifacts.choose_emulator()
    assert os.environ["PATH"] == f"{old.parent}:/bin"
    monkeypatch.setenv("AMALGAM_QEMU", "10")
    for _ in range(2):  # what we start chooses again
        artifacts.choose_emulator()
        assert os.environ["PATH"] == f"{ours.parent}:{old.parent}:/bin"
    assert qemu10.machines_own(old.name) == str(old)
    assert qemu10.is_ours(str(ours)) and not qemu10.is_ours(str(old))


def test_a_machine_whose_own_is_new_keeps_it(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(old, "10.0.13")
    monkeypatch.setattr(qemu10, "folder", lambda _cache, _log: pytest.fail("it was fetched"))
    monkeypatch.setenv("AMALGAM_QEMU", "10")
    artifacts.choose_emulator()
    assert os.environ["PATH"] == f"{old.parent}:/bin"


def test_a_version_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMALGAM_QEMU", "9")
    with pytest.raises(UserError, match="AMALGAM_QEMU is '9'"):
        artifacts.choose_emulator()


def test_only_a_command_that_starts_boards_fetches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that speak of no board of their own (the machine's is told by `doctor`) need no network for it."""
    monkeypatch.setenv("AMALGAM_QEMU", "10")
    chosen: list[str] = []
    for command in cli.COMMANDS:
        monkeypatch.setattr(artifacts, "choose_emulator", lambda command=command: chosen.append(command))
        cli.choose_emulator(command)
    assert set(chosen) == set(cli.STARTS_BOARDS) and "check" not in chosen
    commands = paths.ROOT / "tools/amalgam/commands"
    speaks = {
        path.stem for path in commands.glob("*.py") if re.search(r"amalgam\.board|amalgam\.scc|benches", path.read_text(encoding="utf-8"))
    }
    assert speaks <= {*chosen, "__init__"}, speaks


def test_plugins_are_loaded_by_the_machines_own(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin is of interface 1, which QEMU 10 has not."""
    old.write_bytes(b"\x7fELF" + emulator.INTERFACE)
    ours = program(tmp_path / f"{qemu10.OURS}1234" / "bin" / old.name, "10.0.13")
    monkeypatch.setenv("PATH", str(ours.parent), prepend=":")
    monkeypatch.setattr(emulator, "unpacked", lambda _cache, _log, _name: ["Debian 12's"])
    emulator.counting.cache_clear()
    try:
        for word in (old.name, str(ours)):
            assert emulator.counting(tmp_path, word, print) == (str(old),)
    finally:
        emulator.counting.cache_clear()


def test_plugins_are_loaded_by_debian_12s_where_the_machine_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = program(tmp_path / f"{qemu10.OURS}1234" / "bin" / "qemu-system-x86_64", "10.0.13")
    monkeypatch.setenv("PATH", str(ours.parent))
    monkeypatch.setattr(emulator, "unpacked", lambda _cache, _log, _name: ["Debian 12's"])
    emulator.counting.cache_clear()
    try:
        assert emulator.counting(tmp_path, ours.name, print) == ("Debian 12's",)
    finally:
        emulator.counting.cache_clear()


@pytest.mark.parametrize(("release", "own"), [(12, 12), (13, 13)])
def test_packages_of_the_machines_own_release_come_by_its_own_apt(
    monkeypatch: pytest.MonkeyPatch, release: int, own: int, tmp_path: Path
) -> None:
    monkeypatch.setattr(apt, "debian_release", lambda: release)
    monkeypatch.setattr(apt, "_debian_entries", lambda: [("http://site", "any", "main")])
    monkeypatch.setattr(apt, "_lists", lambda state, _kind, entries: (state.name, entries))
    for number, of in ((12, apt.debian12), (13, apt.debian13)):
        wanted = apt.MACHINE if number == own else (f"apt-debian{number}", [("http://site", apt.RELEASES[number], "main")])
        assert of(tmp_path / str(release)) == wanted


@pytest.mark.parametrize("said", ["7.2.22", "10.0.13"])
def test_the_copy_is_mended_where_the_faults_are_known_and_nowhere_else(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every program has the "faults", one of them is a PC's. One that starts as another version is not published."""
    files = {name: program(tmp_path / "tree" / of[1], said) for name, of in qemu10.PROGRAMS.items()}
    for path in qemu10.FIRMWARE.values():
        (tmp_path / "tree" / path).mkdir(parents=True, exist_ok=True)

    class Packages:
        def unpacked(self, _cache: Path, _package: str, _log: object) -> Path:
            return tmp_path / "tree"

    def with_libraries(_cache: Path, wanted: dict[str, tuple[str, str]], _log: object, _packages: object) -> list[tuple[str, Path]]:
        loader = tmp_path / "loader"
        loader.write_text('#!/bin/sh\nshift 2\nexec /bin/sh "$@"\n', encoding="utf-8")
        return [("program", files[Path(wanted["program"][1]).name]), (f"lib64/{qemu10.LOADER}", loader)]

    monkeypatch.setattr(apt, "debian13", lambda _cache: Packages())
    monkeypatch.setattr(qemu10.programs, "with_libraries", with_libraries)
    monkeypatch.setattr(mend, "find", lambda path: (mend.Spot(path.read_bytes().index(PLAIN), PLAIN, MENDED),))
    if said == "7.2.22":
        with pytest.raises(ArtifactError, match=r"is no QEMU 10"):
            qemu10.folder(tmp_path / "cache", print)
        return
    made = qemu10.folder(tmp_path / "cache", print).parent
    for name in qemu10.PROGRAMS:
        plain, copy = (made / part / name for part in ("unmended", "mended"))
        assert (copy.read_bytes() == plain.read_bytes()) == (name != mend.PROGRAM)
    assert MENDED in (made / "mended" / mend.PROGRAM).read_bytes()
