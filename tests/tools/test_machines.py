# SPDX-License-Identifier: MIT
"""Each kind of machine says itself what is its own: no command has a list of kinds."""

from __future__ import annotations

import argparse
import contextlib
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from amalgam import paths, proc
from amalgam.board import screen, shell
from amalgam.board.bochs import BochsIntel
from amalgam.board.dead import held
from amalgam.board.fleet import Fleet
from amalgam.board.machine import Machine, machine_for
from amalgam.board.manycore import Manycore
from amalgam.board.manycore_fleet import ManycoreFleet
from amalgam.board.scc_fleet import SccFleet
from amalgam.board.started import Started
from amalgam.board.virt import VirtMachine
from amalgam.build.iso import make_iso
from amalgam.build.moved import move
from amalgam.commands import run
from amalgam.errors import UserError
from amalgam.system.compile import checked, locate, locate_for
from amalgam.system.families import FAMILIES, PC

OPTIONS = {"iso": False, "icount": False, "gdb": False, "cpu": None, "network": "", "core": None, "exec": [], "logs": None}
KINDS = {
    "debian": Machine,
    "debian-intel": BochsIntel,
    "virt": VirtMachine,
    "ppc405": Fleet,
    "manycore": Manycore,
    "manycore-fleet": ManycoreFleet,
    "scc-fleet": SccFleet,
}


def machine_of(name: str, **words: object) -> Started:
    """The machine of a system, which has been asked about the words."""
    system = checked(locate(name), False, lambda _text: None)
    machine: Started = machine_for(system, Path("image"))
    machine.refuse(system, argparse.Namespace(**OPTIONS | words))
    return machine


@pytest.mark.parametrize("name", KINDS)
def test_each_family_has_its_machine(name: str) -> None:
    assert type(machine_of(name)) is KINDS[name]


@pytest.mark.parametrize("name", sorted(KINDS.keys() - {"debian", "virt"}))
def test_a_board_without_core_files_refuses_them_in_a_sentence(name: str) -> None:
    """Its system goes through held() before: of a family that has no processes, too."""
    held(checked(locate(name), False, lambda _text: None))
    with pytest.raises(UserError, match="--core"):
        machine_of(name, core=Path("cores"))


def family(board: Path) -> str:
    """What a board says."""
    found = re.search(r"^family: (\S+)", board.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else PC


def test_each_family_has_a_board_and_each_board_a_family() -> None:
    assert {family(board) for board in paths.BOARDS.glob("*.yaml")} == set(FAMILIES)


@pytest.mark.parametrize(
    ("command", "goes", "refused"),
    [
        ("iso", ("native", "web", "i586", "scc", "debian-intel"), ("virt", "ppc405", "manycore", "attach")),
        ("monitor", ("debian", "native", "i586"), ("scc", "virt", "ppc405", "manycore", "attach")),
        ("trace", ("debian", "native", "manycore"), ("scc", "ppc405", "attach", "manycore-fleet")),
        ("scc", ("scc", "scc-processes"), ("debian", "scc-fleet")),
    ],
)
def test_a_command_goes_with_what_a_family_says(command: str, goes: tuple[str, ...], refused: tuple[str, ...]) -> None:
    """With each kernel of it, whatever its parts, and the others' refusal names the boards."""
    for name in goes:
        assert locate_for(name, command) == locate(name)
    for name in refused:
        with pytest.raises(UserError, match=f"^'{command}' goes with systems of the boards .*; .*{name}.yaml is of the shape ") as error:
            locate_for(name, command)
        assert error.value.status == 2


def test_no_file_but_a_table_names_the_shapes_that_something_is_for() -> None:
    """What goes with which systems is said by their family."""
    lists = re.compile(r"shape\w*(\([^)]*\))?\)? (==|!=|in|not in) [(\[\"]")
    files = [*(paths.ROOT / "tools/amalgam/system").rglob("*.py"), *(paths.ROOT / "tools/amalgam/commands").glob("*.py")]
    files = [file for file in files if file.name != "size.py"]  # which is asked for a shape
    assert len(files) > 60 and not [file.name for file in files if lists.search(file.read_text(encoding="utf-8"))]
    assert lists.search('if (shape := shape_of(path)) not in ("pc",)') and lists.search('shape_of(path) == "manycore"')


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("ppc405", "iso", True),
        ("ppc405", "core", Path("cores")),
        ("manycore", "cpu", "rv64"),
        ("manycore", "network", "x"),
        ("manycore", "exec", ["io:ls"]),
        ("manycore-fleet", "icount", True),
        ("manycore-fleet", "exec", ["io:ls"]),
        ("scc-fleet", "icount", True),
        ("scc-fleet", "iso", True),
        ("debian-intel", "gdb", True),
        ("virt", "iso", True),
        ("debian", "network", "hostfwd=tcp::1-:1"),
        ("debian", "core", Path("cores")),
    ],
)
def test_a_word_that_means_nothing_there_is_refused_by_name(name: str, word: str, value: object) -> None:
    with pytest.raises(UserError, match=rf"--{word}\b") as refused:
        machine_of(name, **{word: value})
    assert refused.value.status == 2


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [("web", "network", "x"), ("web-manycore", "network", "x"), ("processes", "core", Path("cores")), ("virt", "icount", True)],
)
def test_a_word_that_means_something_there_is_taken(name: str, word: str, value: object) -> None:
    machine_of(name, **{word: value})


@pytest.mark.parametrize(("end", "status"), [("done: exit status 0", 0), ("triple fault", 3), ("could not start: no VT-x", 1)])
def test_a_guest_that_died_on_bochs_is_the_runs_status(monkeypatch: pytest.MonkeyPatch, end: str, status: int) -> None:
    """Its board is shown by a screen of ours, as QEMU has none for it."""
    system = checked(locate("debian-intel"), False, lambda _text: None)
    machine = machine_of("debian-intel")
    board = SimpleNamespace(kernel=SimpleNamespace(text=f"domain linux: {end}\r\npower off\r\n"))
    monkeypatch.setattr(machine, "board", lambda _names, _logs: contextlib.nullcontext(board))
    monkeypatch.setattr(screen, "interactive", lambda _board, _focus: 1)  # as Bochs may
    try:
        found = machine.interactive(system, None)
    except UserError as error:
        found = error.status
    assert found == status


@pytest.mark.parametrize(("said", "waited"), [(None, 1800), (0.0, 0), (5.0, 5)])
def test_a_shell_is_waited_for_as_long_as_is_said(monkeypatch: pytest.MonkeyPatch, said: float | None, waited: float) -> None:
    """0 is said, too. Without a word the board's patience counts."""
    found: list[float] = []
    monkeypatch.setattr(shell, "await_shell", lambda _console, patience: found.append(patience))
    monkeypatch.setattr(shell, "run_command", lambda _console, _line, patience: found.append(patience) or ("", 0))
    machine = machine_of("debian-intel")
    monkeypatch.setattr(machine, "board", lambda _names, _logs: contextlib.nullcontext({"linux": None}))
    args = SimpleNamespace(timeout=said, logs=None, console=False)
    assert run.execute(SimpleNamespace(speakers=[]), machine, [("linux", "true")], args) == 0
    assert found == [waited, waited]


@pytest.mark.parametrize(("name", "there"), [("i586-linux", True), ("scc-linux", False), ("i586", False), ("debian", False)])
def test_gdbs_script_for_guests_in_ring_1_is_proposed_where_it_works(name: str, there: bool) -> None:
    """A line for cores of an SCC, each with a kernel of its own, it has not."""
    assert ("tools/gdb/ring1.py" in machine_of(name).debuggers()[0][1]) == there


def test_no_command_asks_of_which_kind_a_system_or_its_machine_is() -> None:
    asks = re.compile(r"^(?!\s*assert).*isinstance\([^)]*\b\w*(Machine|Fleet|Manycore|System|Board)\b", re.MULTILINE)
    files = [
        *(paths.ROOT / "tools/amalgam/commands").glob("*.py"),
        *(paths.ROOT / f"tools/amalgam/{name}.py" for name in ("measure/benches", "board/chosen")),
    ]
    assert len(files) > 15 and not [file.name for file in files if asks.search(file.read_text(encoding="utf-8"))]
    assert asks.search("    if isinstance(system, PartitionSystem | ClusterSystem):") and asks.search("x = isinstance(machine, Fleet)")


def test_a_system_moves_to_the_board_that_its_cd_image_has_a_kernel_for() -> None:
    for name, board, shape in (
        ("debian", "bochs-intel", "pc-intel"),
        ("processes", "bochs-intel", "process-intel"),
        ("debian-intel", "q35", "pc"),
        ("debian", "q35-both", "pc-both"),
        ("debian-intel", "bochs-both", "pc-both"),
    ):
        system = checked(locate(name), False, lambda _text: None)
        move(system, board)
        assert (system.board.name, system.shape()) == (board, shape)
        assert machine_for(system, Path("image")).kernel == paths.kernel_elf(shape)


@pytest.mark.parametrize(
    ("name", "board", "why"),
    [
        ("native", "bochs-intel", "a CD image of it has one of the kernels pc-proof"),
        ("debian", "i586-linux", "a CD image of it has one of the kernels pc, pc-intel, pc-both"),
        ("processes", "q35-both", "a CD image of it has one of the kernels process, process-intel"),
        ("web", "bochs-intel", "a CD image of it has one of the kernels process-net"),
        ("manycore", "q35", "it is none for a PC"),
        ("processes", "q35 with many cores", ""),
    ],
)
def test_a_system_that_cannot_move_is_refused_with_the_reason(name: str, board: str, why: str) -> None:
    system = checked(locate(name), False, lambda _text: None)
    if not why:
        system.cores, board, why = 9, "bochs-intel", "that has at most 8 cores and 2G"
    with pytest.raises(UserError, match=re.escape(f"this system does not run on the board {board}: {why}")):
        move(system, board)


def test_a_run_on_an_emulator_leaves_the_cd_image_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are of one name; the emulator's has one kernel, and of GRUB what the emulator needs."""
    kernel, image = tmp_path / "amalgam.elf", tmp_path / "systems" / "a.img"
    kernel.touch()
    image.parent.mkdir()
    image.touch()
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(proc, "need", lambda program, _package: program)
    monkeypatch.setattr(proc, "run", lambda words, _what: words[2].write_text(" ".join(map(str, words))))
    asked = make_iso("a", kernel, image, lambda _text: None)
    emulators = make_iso("a", kernel, image, lambda _text: None, lean=True)
    assert asked == tmp_path / "build" / "iso" / "a.iso"
    assert ["--install-modules" in made.read_text() for made in (asked, emulators)] == [False, True]
