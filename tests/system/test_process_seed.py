# SPDX-License-Identifier: MIT
"""Random numbers of processes on boards whose processor has no instruction for them: of what the loader gives their kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts.machines import MACHINES
from amalgam.build.programs import compile_program, toolchain
from support import after, ended, said

DRAWS = r"""
#include <stdio.h>
#include <sys/random.h>
int main(void)
{
    unsigned char bytes[40];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return 2;
    printf("drawn: ");
    for (unsigned i = 0; i < sizeof bytes; i++)
        printf("%02x", bytes[i]);
    printf("\n");
    return 0;
}
"""
DRAWN = r"drawn: ([0-9a-f]{80})"


PROCESSORS = {"virt": "riscv64", "i586": "i386", "scc": "i386"}


@pytest.mark.parametrize("board", PROCESSORS)
def test_no_process_draws_what_another_one_or_its_last_life_drew(boot: Any, tmp_path: Path, board: str) -> None:
    (tmp_path / "draws.c").write_text(DRAWS, encoding="utf-8")
    machine = MACHINES[PROCESSORS[board]]
    words = ["-O1", "-Wall", "-Werror", str(tmp_path / "draws.c"), "-o", str(tmp_path / "draws")]
    assert compile_program(words, toolchain(lambda _text: None, machine), machine) == 0
    domain = {"kind": "process", "memory": "64K", "program": str(tmp_path / "draws")}
    memory = {} if board == "scc" else {"memory": "128M"}
    system = {"system": "seed", "board": board, "domains": {"one": domain, "other": domain | {"autostart": False}}} | memory
    with boot(system) as running:
        drawn = [said(running, "one", DRAWN)[1]]
        said(running, "kernel", "domain one: done: exit status 0")
        assert ended(running, "other") == "done: exit status 0"
        drawn += [said(running, "other", DRAWN)[1], after(running, "start one", "one", DRAWN)[1]]
    pieces = {text[at : at + 16] for text in drawn for at in range(0, 80, 16)}
    assert len(pieces) == 15, drawn
