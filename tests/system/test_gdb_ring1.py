# SPDX-License-Identifier: MIT
"""gdb at guests in ring 1 of a Pentium, with the script of tools/gdb: two of one program (guests/ring1/debugged.c), and only one of them stops."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.console import SCALE
from amalgam.board.monitor import await_monitor
from amalgam.measure.visits import symbols
from support import Ports, listed, said

GUEST = {"kernel": "build:debugged.elf", "memory": "16M"}
SYSTEM: dict[str, Any] = {
    "system": "gdb-ring1",
    "board": "i586-linux",
    "domains": {"one": GUEST | {"cores": [0]}, "two": GUEST | {"cores": [1]}},
}
PROGRAM = paths.ROOT / "build/guests/ring1/debugged.elf"

pytestmark = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed: ./amalgam setup")


@pytest.fixture(scope="module")
def ports() -> Ports:
    return Ports(1)


@pytest.fixture(scope="module")
def board(boot_module: Any, ports: Ports) -> Iterator[Board]:
    with boot_module(SYSTEM, extra=lambda: ["-gdb", f"tcp:127.0.0.1:{ports.first}"]) as board:
        await_monitor(board)
        for name in ("one", "two"):
            said(board, name, "debugged: ready")
        yield board


@pytest.fixture
def gdb(board: Board, ports: Ports) -> Any:
    def run(*commands: str) -> str:
        words = ["gdb", "-batch", "-nx", paths.kernel_elf("i586-linux")]
        words += [word for name in ("amalgam", "ring1") for word in ("-x", paths.ROOT / f"tools/gdb/{name}.py")]
        for command in (f"target remote 127.0.0.1:{ports.first}", *commands, "delete", "detach"):
            words += ["-ex", command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120 * SCALE, check=False)
        assert "Traceback" not in done.stdout + done.stderr and "Undefined" not in done.stderr
        return done.stdout + done.stderr

    return run


def at(name: str) -> str:
    return f"*{symbols(PROGRAM)[name]:#x}"


def stopped(place: str) -> tuple[str, ...]:
    """Commands after which gdb looks at the core that is in the second guest, there."""
    return (f'hbreak {at(place)} if $in_guest("two")', "continue", "delete")


def test_a_breakpoint_is_for_one_guest_and_shows_its_registers(board: Board, gdb: Any) -> None:
    seen = gdb(
        *stopped("target"),
        "amalgam guests",
        "amalgam guest registers two",
        "info registers eip",
        "amalgam guest registers one",
        "help amalgam cpus",
    )
    entry = symbols(PROGRAM)["target"]
    assert re.search(rf"^two: running, core 1, is at 0x\d1:{entry:#010x}, ring 1, interrupts off$", seen, re.M), seen
    assert re.search(r"^one: running, core 0, (?:left|thread 1 is) at 0x\d1:0x\w+, ring 1, interrupts off$", seen, re.M), seen
    assert re.search(rf"^eip 0*{entry:x} ", seen, re.M), seen
    assert re.search(rf"^eip +{entry:#x} ", seen, re.M), seen
    assert len(re.findall(r"^cr0 8\w{7} cr2 \w{8} cr3 \w{8} cr4 \w{8}$", seen, re.M)) == 2, seen
    assert listed(board, "two")["state"] == "running", "it goes on"


def test_a_step_is_one_of_the_guests_also_where_the_kernel_does_it(gdb: Any) -> None:
    seen = gdb(*stopped("trapping"), "amalgam guest step", "amalgam guest step")
    steps = re.findall(r"^two: 0x\d1:0x(\w+)(?:, the kernel did (\d+) instructions before)?$", seen, re.M)
    assert int(steps[0][0], 16) == symbols(PROGRAM)["behind"], seen
    assert int(steps[0][1]) > 50, seen
    assert (int(steps[1][0], 16), steps[1][1]) == (symbols(PROGRAM)["behind"] + 1, ""), seen


def test_memory_is_shown_as_gdb_shows_it(gdb: Any) -> None:
    """Where gdb's own x finds something, the same; and what it does not find, as it is in no shadow."""
    target, page = symbols(PROGRAM)["target"], symbols(PROGRAM)["page"]
    own = ("3i", "4xw", "8xb", "2dh")
    seen = gdb(
        *stopped("target"),
        *(f"{command}/{how} {name}{target:#x}" for how in own for command, name in (("x", ""), ("amalgam guest x", "two "))),
        *(f"amalgam guest x{how} two {place}" for how, place in (("/s", "0x4a0000"), ("/2i", "0x4a0000"), ("", "0x4a0000"))),
        *(f"amalgam guest x{how} two {place}" for how, place in (("/s", "0x4a1000"), ("/i", "0x4a2000"), ("/q", "0"), ("/0x", "0"))),
        f"amalgam guest x/s one {page:#x}",
        "x/i 0x4a0000",
    )
    plain = [re.sub(r" <\w+\+\d+>", "", line) for line in seen.splitlines()]
    lines = [line for line in plain if re.match(r"(?:=>|  ) 0x|0x\w+:\t", line)]
    shown = [line for line in lines if not re.search(rf"0x4a0|{page:#x}", line)]
    for n in (3, 1, 1, 1):  # lines of each format
        assert shown[:n] == shown[n : 2 * n] and len(shown) >= 2 * n, seen
        shown = shown[2 * n :]
    assert "mov    %cr0,%eax" in seen and not shown, seen
    assert '0x4a0000:\t"by the guest\'s own tables"' in seen, seen
    assert re.search(r"^   0x4a0000:\tbound  %edi,0x20\(%ecx\)$", seen, re.M), seen
    assert "0x4a0000:\t0x74207962" in seen, seen
    assert f'{page:#x}:\t"by the guest\'s own tables"' in seen, seen
    assert "0x4a1000: 0x4a1000 is 0x70000000 of the guest's memory, which has nothing there" in seen, seen
    assert "0x4a2000: entry 162 of the page table, 0x00000000, is not present" in seen, seen
    assert seen.count("Cannot access memory at address") == 1, seen  # gdb's own
    assert "amalgam guest x/FORMAT NAME ADDRESS" in seen and "0 times: 1 to 1024" in seen, seen


def test_memory_is_what_the_guests_tables_say(gdb: Any) -> None:
    """Also what is in no shadow, where the processor itself would find nothing; and tables that lead nowhere are said."""
    seen = gdb(
        *stopped("target"),
        "x/s 0x4a0000",
        *(f"amalgam guest memory two {place}" for place in ("0x4a0000 32", "0x4a1000", "0x4a2000", "0x90000000", "0xfffffff0 4096")),
        "amalgam guest memory two 0x80000ff0 64",
        "amalgam guest memory three 0",
        "amalgam guest memory two 0 4097",
        "amalgam guest memory one 0x4a0000 32",
    )
    assert "Cannot access memory at address 0x4a0000" in seen, seen
    page = symbols(PROGRAM)["page"]
    assert (
        len(re.findall(rf"^0x004a0000: at {page:#x} of the guest's memory, 0x\w+ of the board's; program, read only$", seen, re.M)) == 2
    ), seen
    assert seen.count("by the guest's o") == 2, seen
    assert "0x004a1000: 0x4a1000 is 0x70000000 of the guest's memory, which has nothing there" in seen, seen
    assert "0x004a2000: entry 162 of the page table, 0x00000000, is not present" in seen, seen
    assert "0x90000000: the page table of 0x90000000 is 0xf0000000 of the guest's memory, which has nothing there" in seen, seen
    assert "0xfffffff0: entry 1023 of the page directory, 0x00000000, is not present" in seen, seen
    assert "no guest 'three'; `amalgam guests` lists them" in seen, seen
    assert "4097 bytes: 1 to 4096" in seen, seen
