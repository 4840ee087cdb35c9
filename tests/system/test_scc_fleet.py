# SPDX-License-Identifier: MIT
"""The scc-fleet board: an emulator for each core, which share one file and ring each other by ivshmem (docs/scc.md)."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.board.console import SCALE
from amalgam.board.monitor import command
from amalgam.board.records import layout_of
from amalgam.board.scc import CORES
from amalgam.board.scc_fleet import SccFleet
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import compile_program, toolchain
from amalgam.errors import UserError
from amalgam.scc.fleet import BootedFleet
from jacobi_on_pages import sums
from scc_fleets import CHOSEN, JACOBI, of
from support import debugger, free_ports, said, says

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


def test_a_core_that_rings_anybody_and_lies_in_all_words_disturbs_nothing(boot: Any, tmp_path: Path, scc: Path) -> None:
    members = layout_of(scc, scc.stat().st_mtime_ns).members["scc_shared"]
    liar = native(tmp_path, "rings", 20_000, members["rang"][0], members["mail"][0], ues=(47,))
    with boot(of(native(tmp_path, "lasting", ues=(5, 46)) | liar), chosen=CHOSEN) as board:
        said(board, "kernel", r"core 47: (?:\[rings\] )?rings: 20000 steps")
        says(board, "kernel", r"core 5: (?:\[lasting\] )?lasting: \d+ rounds, 0 wrong\s")
        for core in CHOSEN[1:]:
            command(board, f"mail {core} 20")
        assert not re.search("FAULT|PANIC", board.kernel.text)


@pytest.mark.parametrize("name", ["functions", "gory", "ircce", "more"])
def test_an_application_runs_unchanged_across_processes(boot: Any, tmp_path: Path, name: str) -> None:
    with boot(of(native(tmp_path, name, "a", "b")), chosen=CHOSEN) as board:
        of_all(board, name, r"UE \d of 4: 0 wrong")


def test_processes_of_different_emulators_send_each_other_messages(boot: Any) -> None:
    program = {"kind": "process", "program": "build:rcce-pingpong.elf", "arguments": ["pingpong", "32", "10"], "memory": "256K"}
    with boot(of({"rcce": program | {"shared": "64K", "ues": [0, 5, 47]}}), chosen=CHOSEN) as board:
        for ue in (1, 2):
            said(board, "rcce", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong")


@contextmanager
def command_runs(system: str, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Callable[[str], None]]]:
    """`./amalgam run SYSTEM`, and a function that waits until it says something on stderr."""
    words = [paths.ROOT / "amalgam", "run", system]
    log = tmp_path / "log"
    with (
        log.open("w") as file,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True, cwd=paths.ROOT) as run,
    ):

        def hear(pattern: str) -> None:
            end = time.monotonic() + 120 * SCALE
            while not re.search(pattern, log.read_text(errors="replace"), re.MULTILINE):
                assert run.poll() is None and time.monotonic() < end, log.read_text(errors="replace")[-2000:]
                time.sleep(0.1)

        try:
            yield run, hear
        finally:
            run.terminate()


def test_48_cores_boot_exchange_messages_and_a_few_are_reset(one_board: None, tmp_path: Path) -> None:
    with command_runs("scc-fleet", tmp_path) as (run, hear):
        hear(rf"scc: all {CORES} kernels are up")
        hear(rf"pingpong: UE {CORES - 1}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong")
        answer, _ = run.communicate("reset 12-13\nreset 0\nmail 13 5\nkernels\n", timeout=120 * SCALE)
        assert run.returncode == 0
        assert f"{CORES} of {CORES} kernels run" in answer
        assert "mail to core 13 and back, 5 times by either" in answer
        hear(r"^ +kernel\| core 13: .*scc: tile 6[^|]*\n(.*\n)*.*core 13: .*scc: tile 6")
        hear("only cores that were booted are reset")


def test_a_program_of_openmp_has_its_threads_in_four_emulators_and_the_power(one_board: None, tmp_path: Path) -> None:
    path = tmp_path / "heat.yaml"
    heat = {"kind": "native", "program": "build:heat.elf", "memory": "7M", "power": "board", "ues": 4}
    path.write_text(yaml.safe_dump({"system": "heat", "board": "scc-fleet", "domains": {"heat": heat}}), encoding="utf-8")
    with command_runs(str(path), tmp_path) as (run, hear):
        assert run.wait(120 * SCALE) == 0
        hear(rf"heat: 10 iterations of 480 rows on 4 threads: sums {sums()}")


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_each_core_of_a_fleet_waits_for_a_debugger_of_its_own(boot: Any) -> None:
    """By the lines that `run --gdb` shows. Core 0 measures the clocks when its debugger lets it; until then no other one starts."""
    cores = CHOSEN[:2]
    asked: list[subprocess.Popen[str]] = []

    def held() -> int:
        machine = SccFleet(kernel=paths.kernel_elf("scc"), chosen=cores, gdb=True, gdb_port=free_ports(max(cores) + 1))
        assert [who for who, _line in machine.debuggers()] == [f"core {core}" for core in cores]
        commands = ["p/x $pc", "hbreak core_start", "continue", "info symbol $pc", "p scc_core", "delete"]
        asked.extend(debugger(line, *commands) for _who, line in machine.debuggers())
        return machine.gdb_port

    try:
        with boot(of(JACOBI), chosen=cores, gdb=True, gdb_port=held) as board:
            for core, process in zip(cores, asked, strict=True):
                heard = process.communicate(timeout=60 * SCALE)[0]
                assert "$1 = 0xfff0\n" in heard, heard
                assert "core_start in section .text" in heard, heard
                assert f"$2 = {core}\n" in heard, heard
            said(board, "kernel", "all 2 kernels are up")
    finally:
        for process in asked:
            process.kill()


@pytest.mark.parametrize("option", ["--icount", "--core=cores", "--iso"])
def test_what_a_fleet_has_not_is_refused(option: str) -> None:
    done = subprocess.run([paths.ROOT / "amalgam", "run", "scc-fleet", option], capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, "have no meaning for a fleet" in done.stderr) == (2, True), done.stderr


@pytest.mark.full
def test_jacobi_on_48_cores_of_a_fleet(boot: Any, full: bool) -> None:
    with boot(of(JACOBI)) as board:
        for model in ("strong", "lazy"):
            said(board, "jacobi", rf"jacobi {model}: 10 iterations on {CORES} cores: 0 words differ .*; sums {sums()}", 600)
