# SPDX-License-Identifier: MIT
"""RCCE on the emulated SCC: applications compiled unchanged, messages over 48 cores, and the coherence checker beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.scc import CORES
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import compile_program, toolchain
from amalgam.build.p54c import newer
from amalgam.errors import UserError
from amalgam.measure import coherence
from support import listed, said

HERE = Path(__file__).with_name("rcce")
LIBRARY = paths.ROOT / "user" / "rcce"
CHOSEN = (0, 5, 17, 30, 47)
BUFFERS = "31100000:31160000"  # of the board's memory (docs/scc.md)


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="session")
def tree() -> Path:
    return toolchain(lambda _text: None)


def compiled(source: Path, tree: Path, folder: Path, *words: str) -> Path:
    made = folder / f"{source.stem}.elf"
    assert compile_program(["-O2", "-Wall", "-Werror", *words, str(source), "-o", str(made), "-lm"], tree) == 0
    return made


def system(name: str, program: Path, ues: tuple[int, ...] = CHOSEN, *arguments: str) -> dict[str, Any]:
    native = {"kind": "native", "program": str(program), "arguments": [name, *arguments], "ues": list(ues), "memory": "512K"}
    return {"system": f"rcce-{name}", "board": "scc", "domains": {name: native}}


def lines(board: Board, name: str, pattern: str, core: int) -> re.Match[str]:
    """What a UE said: core 0's domains have consoles, the others' lines come by core 0's kernel."""
    return said(board, name if core == 0 else "kernel", pattern if core == 0 else rf"core {core}: (?:\[{name}\] )?{pattern}")


def test_messages_go_to_each_of_48_cores_and_back(boot: Any) -> None:
    with boot("rcce", icount=True) as board:
        for ue in range(1, CORES):
            said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong")
        for core in range(1, CORES):
            said(board, "kernel", rf"core {core}: .*domain pingpong: done: exit status 0")


@pytest.mark.parametrize("name", ["functions", "gory", "ircce", "more", "names"])
def test_an_application_runs_unchanged(boot: Any, tree: Path, tmp_path: Path, name: str) -> None:
    program = compiled(HERE / f"{name}.c", tree, tmp_path)
    assert newer(program, 1000) == []
    with boot(system(name, program, CHOSEN, "a", "b"), icount=True, chosen=CHOSEN) as board:
        for ue, core in enumerate(CHOSEN):
            lines(board, name, rf"UE {ue} of {len(CHOSEN)}: 0 wrong", core)


@pytest.mark.parametrize("shape", ["scc", "scc-lean"])
def test_a_dead_kernel_ends_the_program_on_the_other_cores(boot: Any, tree: Path, tmp_path: Path, shape: str) -> None:
    """UE 1 stops its kernel; the others wait for it in a barrier."""
    source = tmp_path / "dies.c"
    source.write_text(
        "#include <RCCE.h>\nint RCCE_APP(int argc, char **argv)\n{\n    RCCE_init(&argc, &argv);\n    if (RCCE_ue() == 1)\n"
        '        __asm__ volatile("cli; 1: hlt; jmp 1b");\n    RCCE_barrier(&RCCE_COMM_WORLD);\n    return 0;\n}\n',
        encoding="utf-8",
    )
    cores = CHOSEN[:3]
    kernel = build_kernel(shape, lambda _text: None)
    with boot(system("dies", compiled(source, tree, tmp_path), cores), chosen=cores, kernel=kernel) as board:
        for core in (0, 17):
            lines(board, "dies", "rcce: the kernel of core 5 is dead: the program ends here, too", core)
            said(board, "kernel", f"{f'core {core}: .*' if core else '^'}domain dies: done: exit status 125\\s")


def test_what_others_say_after_core_0_has_ended_is_printed_before_the_board_goes_off(boot: Any, tree: Path, tmp_path: Path) -> None:
    """They compute for 0.3 s behind the barrier, then print ten lines each; the last line is that of the slowest."""
    source = tmp_path / "late.c"
    source.write_text(
        "#include <RCCE.h>\n#include <stdio.h>\nint RCCE_APP(int argc, char **argv)\n{\n    RCCE_init(&argc, &argv);\n"
        "    RCCE_barrier(&RCCE_COMM_WORLD);\n    for (double end = RCCE_wtime() + 0.3; RCCE_ue() && RCCE_wtime() < end;)\n"
        '        __asm__ volatile("pause");\n    for (int i = 0; i < 10; i++)\n        printf("line %d\\n", i);\n    return 0;\n}\n',
        encoding="utf-8",
    )
    made = system("late", compiled(source, tree, tmp_path))
    made["domains"]["late"]["power"] = "board"
    with boot(made, icount=True, chosen=CHOSEN) as board:
        said(board, "kernel", "^power off")
        for core in CHOSEN:
            for i in range(10):
                lines(board, "late", rf"line {i}\s", core)


def storm(boot: Any, tree: Path, folder: Path, cores: tuple[int, ...], barriers: int, messages: int, seconds: float) -> None:
    """Barriers and messages with checksums, under the coherence checker."""
    out = folder / "coherence.txt"
    made = system("storm", compiled(HERE / "storm.c", tree, folder), cores, str(barriers), str(messages))
    with boot(made, icount=True, chosen=cores, extra=coherence.options(out, f"mpbt={BUFFERS}")) as board:
        said(board, "storm", rf"storm: UE 0 of {len(cores)}: {barriers} barriers, {messages} messages, 0 wrong", seconds)
        for ue, core in enumerate(cores[1:], 1):
            said(board, "kernel", rf"core {core}: .*storm: UE {ue} of {len(cores)}: {barriers} barriers, {messages} messages, 0 wrong")
    found = coherence.read(out)
    assert found.accesses > len(cores) * messages * 10
    assert found.kinds() == {}


def test_no_message_of_a_storm_is_wrong(boot: Any, tree: Path, tmp_path: Path) -> None:
    """20,000 over five cores."""
    storm(boot, tree, tmp_path, CHOSEN, 200, 4000, 120)


@pytest.mark.full
def test_no_message_of_a_million_is_wrong(boot: Any, tree: Path, tmp_path: Path, full: bool) -> None:
    """48 cores, 10,000 barriers, 20,834 messages each."""
    storm(boot, tree, tmp_path, tuple(range(CORES)), 10_000, 20_834, 7200)


def test_cores_that_are_no_ue_end_at_once_and_a_program_has_arguments(boot: Any, tmp_path: Path, tree: Path) -> None:
    program = compiled(LIBRARY / "programs" / "pingpong.c", tree, tmp_path)
    with boot(system("two", program, (5, 47), "5000", "3"), icount=True, chosen=CHOSEN) as board:
        said(board, "kernel", r"core 5: (?:\[two\] )?pingpong: UE 1, 3 times 5000 bytes and back, \d+ ns each way, 0 wrong")
        row = listed(board, "two")  # of core 0
        assert (row["state"], row["end"]) == ("stopped", "stopped: it runs on other cores")


def test_an_assertion_that_fails_is_said_and_ends_the_program(boot: Any, tree: Path, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(
        '#include "RCCE.h"\n#include <assert.h>\nint RCCE_APP(int argc, char **argv)\n{\n    assert(argc > 99);\n    return 0;\n}\n'
    )
    with boot(system("wrong", compiled(source, tree, tmp_path), CHOSEN[:1]), icount=True, chosen=CHOSEN[:1]) as board:
        said(board, "wrong", 'assertion "argc > 99" failed: .*line 5, function: main')
        said(board, "kernel", "domain wrong: fault: invalid opcode")


def test_instructions_of_later_processors_are_refused(tree: Path, tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text('int main(void)\n{\n    __asm__ volatile("cmove %eax, %eax");\n    return 0;\n}\n')
    with pytest.raises(UserError, match="instructions that a P54C has not: .*cmove"):
        compiled(source, tree, tmp_path)
    assert not (tmp_path / "late.elf").exists()
