# SPDX-License-Identifier: MIT
"""The kernel slips a layer beneath itself and takes it out again, and nothing that runs on it notices."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.console import ConsoleError
from amalgam.board.monitor import await_monitor, command
from amalgam.build.kernel import build_kernel
from amalgam.errors import UserError
from amalgam.proc import run
from support import said

SYSTEM = "self-virtualization"
PATIENCE = 120  # seconds until the counter's rate is measured again
ONE_CORE = {
    "system": "self-one-core",
    "board": "q35-selfvirt",
    "cores": 1,
    "memory": "128M",
    "domains": {
        "jacobi": {"kind": "task", "task": "jacobi", "cores": [0]},
        "jacobi1": {"kind": "task", "task": "jacobi", "cores": [0]},
        "switch": {"kind": "task", "task": "context-switch", "cores": [0], "priority": 16},
    },
}
IDLE = ONE_CORE | {"system": "self-idle", "cores": 3, "domains": {"idle": ONE_CORE["domains"]["jacobi"] | {"autostart": False}}}


@pytest.fixture(scope="session", autouse=True)
def selfvirt() -> Path:
    return build_kernel("selfvirt", lambda _text: None)


def error_of(board: Board, line: str, timeout: float = 60) -> int:
    """The error that a command must end with."""
    with pytest.raises(UserError) as caught:
        command(board, line, timeout)
    return int(re.search(r": (-\d+)$", str(caught.value).splitlines()[0])[1])  # type: ignore[index]


def stats(board: Board) -> list[dict[str, int]]:
    """What the layer did, core by core."""
    lines = re.findall(r"cpu \d+: (exits .*)", command(board, "self"))
    return [{name: int(value) for name, value in re.findall(r"(\w+) (\d+)", line)} for line in lines]


def mode(board: Board) -> str:
    return re.search(r"on its (\w+) object", command(board, "self"))[1]  # type: ignore[index]


def cycle(board: Board, n: int, timeout: float) -> None:
    """`cycles N`, and that it did what it says: twice, the first time with sleepers."""
    text = command(board, f"cycles {n}", timeout)
    found = re.findall(r"cycles: (\d+), sleeps (\d+) early (\d+), hops (\d+) backwards (\d+)", text)
    assert [int(row[0]) for row in found] == [n, n]
    assert int(found[0][1]) > 0
    assert all(int(row[3]) > n for row in found)


def jacobi_result(board: Board, name: str) -> tuple[str, str]:
    """How many steps it took, and how far from the solution it ended."""
    steps = said(board, name, r"bench jacobi iterations-0 (\d+)\s", 300)[1]
    return steps, said(board, name, r"bench jacobi error-e9-0 (\d+)\s", 300)[1]


@pytest.mark.parametrize(
    ("system", "cycles"),
    [(ONE_CORE, (60, 500)), (SYSTEM, (8, 100))],
    ids=["1-core", "4-cores"],
)
def test_tasks_run_across_attach_and_detach(boot: Any, full: bool, system: Any, cycles: tuple[int, int]) -> None:
    """Alarms, interrupts between cores, the clock, vector registers, time slices: all as without."""
    with boot(system) as board:
        await_monitor(board)
        cycle(board, cycles[full], 3000 if full else 600)
        used = stats(board)
        assert all(core["interrupts"] and core["calls"] for core in used)
        solvers = [name for name in board.names if name.startswith("jacobi")]
        results = {jacobi_result(board, name) for name in solvers}
        said(board, "switch", r"bench context-switch yield-max \d+", 300)
        for phase in ("hourglass", "yield"):
            assert len(re.findall(rf"gaps context-switch {phase} \d+( \d+){{8}}", board["switch"].text)) == 250
        assert mode(board) == "native"
        before = stats(board)
        board["jacobi"].seek(len(board["jacobi"].text))
        command(board, "start jacobi")  # once more, with nothing beneath
        results.add((board["jacobi"].expect(r"iterations-0 (\d+)\s", 300)[1], board["jacobi"].expect(r"error-e9-0 (\d+)\s", 60)[1]))
        assert len(results) == 1
        assert int(results.pop()[1]) < 1000
        assert stats(board) == before  # nothing was beneath


def put_off(board: Board, core: int, line: str) -> None:
    """The switch comes while a core is held. A host that is away between the two commands for as long makes that vain: then for longer."""
    there, back = ("virtual", "detach") if line == "attach" else ("native", "attach")
    for ms in (500, 5000, 50000):
        command(board, f"hold {core} {ms}")
        times = re.search(r"put off (\d+) times", command(board, line, ms / 1000 + 60))
        assert times and int(times[1]) <= ms / 10  # it is tried every 10 ms
        assert mode(board) == there
        if int(times[1]) >= 1:
            return
        command(board, back)
    raise AssertionError("a switch did not wait for who is inside")


def test_a_switch_waits_for_who_is_inside_the_object_and_is_not_forgotten(boot: Any) -> None:
    with boot(IDLE) as board:
        await_monitor(board)
        assert "put off 0 times" in command(board, "attach")
        command(board, "detach")
        for core, line in ((0, "attach"), (1, "detach"), (2, "attach")):
            put_off(board, core, line)
        command(board, "hold 1 600000")
        assert error_of(board, "detach", 120) == -110
        assert mode(board) == "virtual"


def test_a_core_that_cannot_go_makes_all_go_back(boot: Any) -> None:
    """VMRUN is refused on one core when the others have entered already."""
    with boot(IDLE) as board:
        await_monitor(board)
        for core in (0, 2):
            command(board, f"refuse {core}")
            assert error_of(board, "attach") == -5
            assert mode(board) == "native"
            command(board, "stray")  # and the hardware is the kernel's on this core
            command(board, f"refuse {core}")
            cycle(board, 2, 300)


def test_what_is_refused(boot: Any) -> None:
    with boot(IDLE) as board:
        await_monitor(board)
        assert error_of(board, "detach") == -17
        command(board, "attach")
        assert error_of(board, "attach") == -17
        assert mode(board) == "virtual"


def test_no_layer_without_amd_v(boot: Any) -> None:
    with boot(IDLE, cpu="EPYC,-svm") as board:
        await_monitor(board)
        said(board, "kernel", "no AMD-V with nested paging")
        assert error_of(board, "attach") == -19
        assert mode(board) == "native"


def test_rare_operations_are_trapped_and_emulated(boot: Any) -> None:
    """The timer by which the counter's rate is measured, some seconds after boot when the first core idles: its port has no function in
    the object. The clock goes on meanwhile."""
    with boot(IDLE, extra=["-rtc", "base=2026-01-01"]) as board:
        await_monitor(board)
        command(board, "attach")
        deadline = time.monotonic() + PATIENCE
        while stats(board)[0]["emulated"] < 2 and time.monotonic() < deadline:
            time.sleep(1)
        assert stats(board)[0]["emulated"] >= 2
        seconds = int(re.search(r"clock: (\d+) s", command(board, "clock"))[1])  # type: ignore[index]
        assert -1 <= seconds - 1767225600 < 600  # the emulator's chip is up to a second behind


def test_native_code_in_virtual_mode_is_a_fault_at_its_instruction(boot: Any) -> None:
    with boot(IDLE) as board:
        await_monitor(board)
        assert "local APIC version" in command(board, "stray")
        command(board, "attach")
        board.kernel.send("stray\n")
        board.kernel.expect(r"PANIC: general protection", 60)
        board.kernel.expect(r"apic_read\+", 60)


def test_the_power_goes_off_through_the_layer(boot: Any) -> None:
    with boot(IDLE) as board:
        await_monitor(board)
        command(board, "attach")
        command(board, "quit")
        assert board.wait(60) == 0


# Each takes out one thing that the switch stands on: (file, what, instead, what must then fail).
def stuck(board: Board) -> None:
    with pytest.raises((ConsoleError, UserError)):
        cycle(board, 20, 200)


def not_put_off(board: Board) -> None:
    command(board, "hold 1 1500")
    assert "put off 0 times" in command(board, "attach")


def not_undone(board: Board) -> None:
    command(board, "refuse 2")
    assert "virtual: 3 cores" in command(board, "attach")  # which is refused, else


MUTANTS: dict[str, tuple[str, str, str, Callable[[Board], None]]] = {
    "alarm-not-transferred": ("arch/x86/selfvirt/native.c", "    native_alarm(s->alarm);\n", "", stuck),
    "interrupt-offered-over-another": (
        "arch/x86/selfvirt/exit.c",
        "l->state.pending && !(b->vintr & VINTR_IRQ)",
        "l->state.pending",
        stuck,
    ),
    "count-not-looked-at": ("attach/self/switch.c", "if (READ_ONCE(vobject_users[this_cpu_here()->id].n))", "if (0)", not_put_off),
    "failure-not-undone": ("attach/self/switch.c", "if (!count(round, FAILED)) {", "if (1) {", not_undone),
}


def mutated(name: str) -> str:
    """The file without it."""
    file, what, instead, _notices = MUTANTS[name]
    text = (paths.ROOT / "kernel" / file).read_text(encoding="utf-8")
    assert text.count(what) == 1, "the source has changed: say anew what this mutant takes out"
    return text.replace(what, instead)


@pytest.mark.parametrize("name", list(MUTANTS))
def test_what_a_mutant_takes_out_is_there(name: str) -> None:
    """Else the long test below could not be run when it is wanted."""
    assert mutated(name)


@pytest.mark.full
@pytest.mark.parametrize("name", list(MUTANTS))
def test_the_tests_notice(boot: Any, tmp_path: Path, name: str) -> None:
    file, _what, _instead, notices = MUTANTS[name]
    for folder in ("kernel", "config", "tools/amalgam"):
        run(["cp", "-r", "--parents", folder, tmp_path], "copying the sources", cwd=paths.ROOT)
    (tmp_path / "kernel" / file).write_text(mutated(name), encoding="utf-8")
    python = f"PYTHON={paths.ROOT}/.venv/bin/python"
    run(["make", "-j2", "-C", tmp_path / "kernel", "SHAPE=selfvirt", python], "building a mutant")
    with boot(IDLE, kernel=tmp_path / "build" / "selfvirt" / "amalgam.elf") as board:
        await_monitor(board)
        notices(board)
