# SPDX-License-Identifier: MIT
"""The command line itself: help everywhere, errors with a next step, the shapes of --json. No board is needed."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from amalgam import cli, paths
from amalgam.cli import COMMANDS
from amalgam.commands.run import GUEST_BOARDS
from amalgam.system.guest import guest_file
from amalgam.system.units import parse_size
from command_line import ROOT, amalgam


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str, tmp_path: Path) -> None:
    """With the distribution's Python alone: nothing is installed for it."""
    done = amalgam(command, "--help", AMALGAM_VENV=str(tmp_path / "none"), PATH=os.defpath)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"./amalgam {command}" in done.stdout
    assert "examples:" in done.stdout


def test_help_names_every_command() -> None:
    text = amalgam("--help").stdout
    assert all(f"\n    {command} " in text for command in COMMANDS)
    assert "exit status" in text


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["fly"], 2, "invalid choice"),
        ([], 2, "COMMAND"),
        (["check", "debain"], 1, "did you mean 'debian'?"),
        (["check", "nonesuch.yaml"], 1, "next: systems/ holds"),
        (["run", "guest"], 2, "next: ./amalgam run guest --kernel FILE"),
        (["run", "guest", "--kernel", "nonesuch"], 1, "there is no file 'nonesuch'"),
        (["run", "guest", "--kernel", "README.md", "--memory", "3M"], 2, "multiple of 2M"),
        (["run", "guest", "--kernel", "README.md", "--dtb", "README.md"], 2, "--dtb goes with the ref405ep board only"),
        (["run", "processes", "--cpus", "4", "--memory", "1G"], 2, "not for this system, but for 'run guest': --cpus, --memory"),
        (["run", "attach", "--board", "bochs-intel"], 2, "--board, --gdb, --iso, --core and --network do not go with 'run attach'"),
        (["run", "attach", "--kernel", "README.md"], 2, "not for this system, but for 'run guest': --kernel"),
        (["run", "processes", "--shell"], 2, "--shell goes with 'run attach' and 'run scc'"),
        (["run", "guest", "--kernel", "README.md", "--board", "scc"], 2, "invalid choice: 'scc'"),
        (["run", "guest", "--kernel", "README.md", "--board", "i586-linux", "--cpus", "2"], 2, "a guest in ring 1 has one processor"),
        (["run", "guest", "--kernel", "README.md", "--board", "i586-linux"], 1, "it is no ELF file for i386"),
        (["run", "guest", "--kernel", "README.md", "--cpus", "99"], 2, "use 1 to 8"),
        (["run", "guest", "--kernel", "README.md"], 1, "'README.md' is a text file: it has no way in that we know"),
        (["run", "guest", "--kernel", "README.md"], 1, "say --boot raw"),
        (["run", "debian", "--kernel", "x"], 2, "not for this system, but for 'run guest': --kernel"),
        (["run", "debian", "--exec", "uname"], 2, "is not DOMAIN:COMMAND"),
        (["build", "nonesuch"], 1, "there is no system 'nonesuch'"),
        (["build", "debian", "--menuconfig"], 2, "is no shape"),
        (["bench", "footprnt"], 1, "did you mean 'footprint'?"),
        (["trace", "--convert", "nonesuch"], 1, "there is no file"),
        (["trace", "manycore-talk", "--seconds", "1"], 2, "leave out --after and --seconds"),
        (["trace", "manycore-talk", "-o", "/nonexistent/x.png"], 2, "the picture is x.png"),
    ],
)
def test_errors_say_what_is_wrong_and_what_next(words: list[str], status: int, says: str) -> None:
    done = amalgam(*words)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_check_as_json() -> None:
    assert json.loads(amalgam("check", "debian", "--json").stdout) == {"system": "systems/debian.yaml", "ok": True, "errors": []}
    done = amalgam("check", "tests/systems_wrong/unknown_board.yaml", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["ok"] is False
    assert set(found["errors"][0]) == {"file", "line", "column", "wrong", "right"}


def test_check_reports_file_line_column_without_an_environment(tmp_path: Path) -> None:
    """The interpreter that has the packages yaml and elftools is enough; here it is that of the tests."""
    done = amalgam("check", "tests/systems_wrong/unknown_board.yaml", AMALGAM_VENV=str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stderr.startswith("tests/systems_wrong/unknown_board.yaml:3:8: error: ")


def test_doctor_as_json() -> None:
    found = json.loads(amalgam("doctor", "--json").stdout)
    assert set(found) == {"ok", "findings"}
    assert set(found["findings"][0]) == {"what", "found", "ok", "step"}
    assert found["ok"] == all(finding["ok"] for finding in found["findings"])


def test_doctor_says_the_next_step_for_what_is_missing(tmp_path: Path) -> None:
    done = amalgam("doctor", AMALGAM_VENV=str(tmp_path / "none"))
    assert done.returncode == 1
    assert "MISSING Python environment" in done.stdout
    assert "next: ./amalgam setup" in done.stdout


def test_setup_names_packages_and_reasons() -> None:
    lines = amalgam("setup", "--list").stdout.splitlines()
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
    assert any(line.startswith("qemu-system-x86 ") for line in lines)


def bare_machine(folder: Path, **programs: str) -> dict[str, str]:
    """A PATH on which no package of ours is installed and only `programs` (name: shell text) exist besides Python."""
    (folder / "python3").symlink_to(Path(os.__file__).parents[2] / "bin" / "python3")
    for name, body in (
        {"dpkg-query": "exit 0", "env": 'exec /usr/bin/env "$@"', "apt-get": f'echo apt-get "$@" >> {folder}/log'} | programs
    ).items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    return {"PATH": str(folder)}


def test_setup_dry_run_says_the_apt_line_and_changes_nothing(tmp_path: Path) -> None:
    done = amalgam("setup", "--dry-run", **bare_machine(tmp_path, sudo="exit 0"))
    assert "apt-get -y --no-install-recommends install git make gcc" in done.stderr, done.stderr
    assert not (tmp_path / "log").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="drops root's rights for a moment")
def test_setup_without_root_prints_the_line_to_type(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if parent.owner() == "root" and parent != Path("/") and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    environment = os.environ | bare_machine(tmp_path, sudo="exit 1")
    program = (
        "import sys, os; sys.path.insert(0, 'tools'); sys.dont_write_bytecode = True; import amalgam.cli, amalgam.commands.setup; "
        "os.geteuid = lambda: 1000; sys.exit(amalgam.cli.main(['setup']))"
    )
    done = subprocess.run(
        [environment["PATH"] + "/python3", "-c", program], capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    assert done.returncode == 1
    assert "next: as root: apt-get update && apt-get -y --no-install-recommends install" in done.stderr, done.stderr


def test_bench_lists_and_runs_as_json() -> None:
    names = json.loads(amalgam("bench", "--list", "--json").stdout)
    assert "footprint" in names
    record = json.loads(amalgam("bench", "footprint", "--json").stdout)
    assert set(record) == {"bench", "rows"}
    assert all(set(row) == {"metric", "value", "unit", "paper", "peer", "how"} for row in record["rows"])
    assert "text-total" in [row["metric"] for row in record["rows"]]


def test_a_shape_that_has_a_systems_name_says_how_to_build_that() -> None:
    done = amalgam("build", "attach")
    assert done.returncode == 0 and "next: ./amalgam build systems/attach.yaml" in done.stderr


def test_size_adds_up() -> None:
    assert amalgam("build", "pc").returncode == 0
    found = json.loads(amalgam("size", "--json").stdout)
    for kind in ("text", "code", "init", "init_rodata", "rodata", "data", "bss"):
        assert sum(part[kind] for part in found["components"].values()) == found["total"][kind]
    assert {"core", "arch/x86"} <= set(found["components"])
    assert all(
        part[kind] >= 0 for part in found["components"].values() for kind in ("code", "init", "init_rodata", "rodata", "data", "bss")
    )


def test_trace_lines_become_a_timeline(tmp_path: Path) -> None:
    log = tmp_path / "kernel.log"
    log.write_text(
        "time: TSC 2000000 kHz\nT 0 1000 switch ffff8000 0\r\nT 0 3000 window 1 5\nT 0 5000 switch ffff9000 ffffffff\nT 1 4000 exit 3 1\nother\n"
    )
    target = tmp_path / "out.json"
    done = amalgam("trace", "--convert", str(log), "-o", str(target), "--json")
    assert json.loads(done.stdout)["events"] == {"switch": 2, "window": 1, "exit": 1}
    spans = [e for e in json.loads(target.read_text())["traceEvents"] if e["ph"] == "X"]
    assert (spans[0]["ts"], spans[0]["dur"]) == (0.0, 2.0)


def test_list_of_tests() -> None:
    assert "test_cli.py::test_list_of_tests" in amalgam("test", "tools", "--list").stdout


def test_an_expression_may_be_longer_than_a_file_name() -> None:
    assert "test_cli.py::test_list_of_tests" in amalgam("test", "test_list_of_tests" + " or test_list_of_tests" * 15, "--list").stdout


@pytest.mark.parametrize("board", GUEST_BOARDS)
def test_run_guest_is_on_the_board_that_was_asked_for(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    words = ["run", "guest", "--kernel", str(ROOT / "README.md"), "--board", board]
    args = cli.parser().parse_args(words + ([] if board in ("i586-linux", "ref405ep") else ["--boot", "raw"]))
    assert f"board: {board}\n" in guest_file(args).read_text(encoding="utf-8")


@pytest.mark.parametrize(("board", "memory", "disk"), [("i586-linux", "200M", 0), ("i586-linux", "16M", 150), ("q35", "3G", 600)])
def test_the_board_of_a_guest_has_room_for_its_memory_and_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str, memory: str, disk: int
) -> None:
    """Nobody can say so otherwise: the system file is written by the command."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    kernel, image = tmp_path / "kernel", tmp_path / "disk.img"
    kernel.write_bytes(b"\x7fELF" + bytes(100))
    words = ["run", "guest", "--kernel", str(kernel), "--board", board, "--memory", memory]
    if board == "q35":
        words += ["--boot", "raw"]
    if disk:
        with image.open("wb") as file:
            file.truncate(disk << 20)
        words += ["--disk", str(image)]
    made = yaml.safe_load(guest_file(cli.parser().parse_args(words)).read_text(encoding="utf-8"))
    assert parse_size(made["memory"]) >= parse_size(memory) + (disk << 20) + (16 << 20)


LOOSE = {"__init__", "__main__", "building", "cli", "descendants", "errors", "paths", "proc", "ui"}  # the door, and what every room needs


def test_each_module_has_a_room() -> None:
    """A folder of tools/amalgam, whose first line says what is in it."""
    tools = paths.ROOT / "tools/amalgam"
    assert {path.stem for path in tools.glob("*.py")} == LOOSE
    doors = [folder / "__init__.py" for folder in {path.parent for path in tools.rglob("*.py")} - {tools}]
    assert [door for door in doors if not door.is_file() or not ast.get_docstring(ast.parse(door.read_text(encoding="utf-8")))] == []
