# SPDX-License-Identifier: MIT
"""A process's first stack is as large as its system file says (`stack`), and below it nothing is mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from support import said

pytestmark = pytest.mark.beside

BOARDS = {"q35": "x86_64", "virt": "riscv64", "i586": "i386"}
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) int down(int n) /* a KiB and a little of stack for each level */
{
    volatile char room[1024];
    memset((char *)room, n, sizeof(room));
    return n ? down(n - 1) + (room[n % 1024] == (char)n) : 0;
}

static __attribute__((noinline)) int over(void) /* a frame that reaches over the usual stack and the page below it */
{
    volatile char room[24000];
    room[0] = 1;
    return room[0];
}

int main(int argc, char **argv)
{
    int levels = atoi(argv[1]);
    if (levels < 0)
        printf("down: over %d\\n", over());
    printf("down: %d of %d\\n", down(levels), levels);
    return 0;
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_first_stack_is_as_large_as_the_system_says(boot: Any, tmp_path: Path, board: str) -> None:
    """Programs that want 100 KiB, one that wants a little more than all of 2 MiB, and one with a frame larger than its stack."""
    source, program = tmp_path / "down.c", tmp_path / "down"
    source.write_text(PROGRAM, encoding="utf-8")
    machine = MACHINES[BOARDS[board]]
    assert programs.compile_program(["-O1", str(source), "-o", str(program)], programs.toolchain(lambda _text: None, machine), machine) == 0
    process = {"kind": "process", "program": str(program), "memory": "4M"}
    domains = {
        "usual": process | {"arguments": ["down", "100"]},
        "large": process | {"arguments": ["down", "100"], "stack": "128K"},
        "largest": process | {"arguments": ["down", "1700"], "stack": "2M"},
        "beyond": process | {"arguments": ["down", "2100"], "stack": "2M"},
    }
    if machine.name != "riscv64":  # whose compiler touches no frame page by page
        domains["over"] = process | {"arguments": ["down", "-1"]}
    with boot({"system": "stacks", "board": board, "cores": 1, "memory": "128M", "domains": domains}) as started:
        for name, levels in (("large", 100), ("largest", 1700)):
            said(started, name, f"down: {levels} of {levels}")
        for name in sorted(domains.keys() - {"large", "largest"}):
            said(started, "kernel", rf"domain {name}: fault: thread 0: .*page fault at image\+[0-9a-f]+")
            assert "down:" not in started[name].text
