# SPDX-License-Identifier: MIT
"""The scc-fleet board: an emulator for each core, which share one file and ring each other by ivshmem (docs/scc.md)."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.board.monitor import command
from amalgam.board.scc import CORES
from amalgam.errors import UserError
from amalgam.kernel import build_kernel
from amalgam.natives import compile_program, toolchain
from amalgam.scc.fleet import BootedFleet
from scc_fleets import CHOSEN, JACOBI, of
from support import said, says

HERE = Path(__file__).with_name("rcce")
LITMUS = {"litmus": {"kind": "task", "task": "svm-litmus", "cores": [0]}}
MARK = 0x5EC2E700
COMES_S = 30  # who has not come to its first barrier for so long is dead, any other one after 5 s without an answer (docs/svm.md)


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


def native(folder: Path, name: str, *arguments: int | str, ues: tuple[int, ...] = CHOSEN) -> dict[str, Any]:
    """A program of tests/system/rcce, on these cores."""
    made = folder / f"{name}.elf"
    words = ["-O2", "-Wall", "-Werror", str(HERE / f"{name}.c"), "-o", str(made), "-lm"]
    assert compile_program(words, toolchain(lambda _text: None)) == 0
    program = {"kind": "native", "program": str(made), "arguments": [name, *map(str, arguments)], "ues": list(ues), "memory": "512K"}
    return {name: program}


def of_all(board: Any, name: str, pattern: str) -> list[re.Match[str]]:
    """What each UE said: core 0's domains have consoles, the others' lines come by core 0's kernel."""
    return [said(board, "kernel" if core else name, rf"core {core}: (?:\[{name}\] )?{pattern}" if core else pattern) for core in CHOSEN]


def test_messages_and_locks_on_shared_pages_hold_across_processes(boot: Any) -> None:
    with boot(of(LITMUS), chosen=CHOSEN) as board:
        of_all(board, "litmus", r"litmus: rank \d: 0 words wrong in 20 messages; counted 40 of 40, by twins 40")


def test_barriers_and_messages_hold_across_processes(boot: Any, tmp_path: Path) -> None:
    with boot(of(native(tmp_path, "storm", 200, 200)), chosen=CHOSEN) as board:
        of_all(board, "storm", r"storm: UE \d of 4: 200 barriers, 200 messages, 0 wrong")


COUNTED = r"counts: UE \d of 4: added (\d+) of 20000000, under a lock (\d+) of \d+, ranks (\d+), again (\d+)"


def test_no_count_is_lost_between_processes(boot: Any, tmp_path: Path) -> None:
    with boot(of(native(tmp_path, "counts", 5_000_000, 5000)), chosen=CHOSEN) as board:
        found = {match.groups() for match in of_all(board, "counts", COUNTED)}
        assert found == {("20000000", "20000", "10", "80000")}


def test_counts_are_lost_if_an_emulator_has_one_core_only(boot: Any, tmp_path: Path) -> None:
    """QEMU then makes a locked instruction of a load and a store. That is why each emulator of a fleet has a second core."""
    with boot(of(native(tmp_path, "counts", 5_000_000, 0)), chosen=CHOSEN, cpus=1) as board:
        assert int(said(board, "counts", COUNTED)[1]) < 20_000_000


@pytest.mark.parametrize("where", ["scc-fleet", "scc"])
def test_where_one_emulator_has_other_cores_memory_a_fleets_core_has_nothing(boot: Any, tmp_path: Path, where: str) -> None:
    """A program in kernel mode maps each of the 48 places. On the board scc it finds the others' marks there, and memory."""
    with boot(of(native(tmp_path, "foreign", f"{MARK:x}", CORES), where), chosen=CHOSEN) as board:
        for match in of_all(board, "foreign", r"foreign: UE \d found the marks of (\d+) others; (\d+) places kept what was written"):
            assert match.groups() == (("0", "0") if where == "scc-fleet" else ("3", "44"))


def test_a_killed_core_is_an_error_for_its_partners_within_its_heartbeat(boot: Any) -> None:
    """A page that it has cannot be had, and it comes to no barrier. Mail has patience for a second."""
    with boot(of(JACOBI), chosen=CHOSEN) as board:
        said(board, "kernel", r"core 47: scc: tile")
        board.kill(47)
        killed = time.monotonic()
        with pytest.raises(UserError, match="mail: -110"):
            command(board, "mail 47 1")
        assert time.monotonic() < killed + 1 + 5 * SCALE
        for core in CHOSEN[:3]:
            said(board, "kernel", rf"core {core}: .*domain jacobi: (?:done|fault)" if core else "^domain jacobi: (?:done|fault)")
        assert time.monotonic() < killed + COMES_S + 10 * SCALE
        assert "lazy: 10 iterations" not in board["jacobi"].text
        for core in CHOSEN[1:3]:
            command(board, f"mail {core} 3")


def test_a_core_that_was_killed_starts_again_alone_while_others_go_on(boot: Any, tmp_path: Path) -> None:
    """Messages of cores 5 and 46 are under way all the time, and every word of them is right."""
    with boot(of(native(tmp_path, "lasting", ues=(5, 46))), chosen=CHOSEN) as board:
        said(board, "kernel", r"all 4 kernels are up")
        processes = [board.nodes[core].process for core in CHOSEN]
        for _ in range(2):
            board.kill(47)
            BootedFleet(board).reset([47])
            command(board, "mail 47 20")
            before = int(says(board, "kernel", r"core 5: lasting: (\d+) rounds, 0 wrong\s")[1])
            assert int(board.kernel.expect(r"core 5: lasting: (\d+) rounds, 0 wrong\s")[1]) > before
        BootedFleet(board).reset([47])  # one that runs
        command(board, "mail 47 20")
        assert [board.nodes[core].process for core in CHOSEN][:3] == processes[:3]
        starts = [int(core) for core in re.findall(r"^core (\d+): (?:\[amalgam\] )?scc: tile", board.kernel.text, re.MULTILINE)]
        assert sorted(starts) == [5, 46, 47, 47, 47, 47]


def test_a_wrong_core_is_not_reset_and_the_board_ends_with_core_0(boot: Any) -> None:
    with boot(of(JACOBI), chosen=CHOSEN) as board:
        said(board, "kernel", r"all 4 kernels are up")
        for cores in ([0], [4], [5, 48]):
            with pytest.raises(UserError, match="only cores that were booted"):
                BootedFleet(board).reset(cores)
        with pytest.raises(UserError, match="refused 'reset 47': reset: -95"):
            command(board, "reset 47")  # its local APIC reaches nobody
        assert board.alive() == list(CHOSEN)
        command(board, "quit")
        assert board.wait(20) == 0


def test_a_core_without_the_device_says_so_and_ends(boot: Any) -> None:
    with boot(of(JACOBI), chosen=(0,), device="pci-testdev") as board:
        board.kernel.expect("^no shared memory: the device in slot 4 is no ivshmem with a doorbell", 20)
        board.wait(20)


def test_48_cores_boot_and_answer(boot: Any) -> None:
    with boot("scc-fleet") as board:
        said(board, "kernel", rf"scc: all {CORES} kernels are up", 60)
        assert board.alive() == list(range(CORES))
        for core in (1, 24, 47):
            command(board, f"mail {core} 20")
        for ue in range(1, 8):
            said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong", 120)
