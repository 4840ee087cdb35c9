# SPDX-License-Identifier: MIT
"""The lean kernel of an SCC's cores: a program in kernel space with message passing, without tasks, mail and shared virtual memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.board.monitor import command
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import compile_program, toolchain
from amalgam.errors import UserError
from elftools.elf.elffile import ELFFile
from support import said

CHOSEN = (0, 5, 47)
PROGRAM = {"kind": "native", "program": "build:pingpong.elf", "arguments": ["pingpong", "32", "10"], "ues": list(CHOSEN), "memory": "256K"}
SYSTEM = {"system": "scc-lean", "board": "scc", "domains": {"pingpong": PROGRAM}}


def test_messages_go_between_lean_kernels(boot: Any) -> None:
    kernel = build_kernel("scc-lean", lambda _text: None)
    with boot(SYSTEM, icount=True, chosen=CHOSEN, kernel=kernel) as board:
        for ue in range(1, len(CHOSEN)):
            said(board, "pingpong", rf"pingpong: UE {ue}, 10 times 32 bytes and back, \d+ ns each way, 0 wrong")
        for core in CHOSEN[1:]:
            said(board, "kernel", rf"core {core}: .*domain pingpong: done: exit status 0")
        with pytest.raises(UserError, match="refused"):  # the whole kernel has this command
            command(board, "mail 5 1")


def test_a_fault_is_reported_by_addresses(boot: Any, tmp_path: Path) -> None:
    """That kernel has no table of symbols (CONFIG_NO_SYMBOLS). The fault is in its text: its memcpy(), which the program calls."""
    kernel = build_kernel("scc-lean", lambda _text: None)
    with kernel.open("rb") as file:
        symbol = ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name("memcpy")[0]
        memcpy, size = symbol["st_value"], symbol["st_size"]
    source, made = tmp_path / "wild.c", tmp_path / "wild.elf"
    source.write_text(
        "#include <RCCE.h>\ntypedef __attribute__((regparm(3))) void *copy(void *, const void *, unsigned);\n"
        f"int RCCE_APP(int argc, char **argv) {{ ((copy *){memcpy:#x})((void *)0x70000000, argv, 4); return 0; }}\n",
        encoding="utf-8",
    )
    assert compile_program(["-O2", str(source), "-o", str(made)], toolchain(lambda _text: None)) == 0
    system = {
        "system": "scc-wild",
        "board": "scc",
        "domains": {"wild": PROGRAM | {"program": str(made), "arguments": ["wild"], "ues": [0]}},
    }
    with boot(system, icount=True, chosen=(0,), kernel=kernel) as board:
        said(board, "kernel", r"domain wild: fault: page fault")
        text = board.kernel.text.replace("\r", "")
        addresses = [int(word, 16) for word in re.findall(r"^  ([0-9a-f]+)$", text, re.MULTILINE)]
        assert any(memcpy <= address < memcpy + size for address in addresses), text
        assert not re.search(r"^  [0-9a-f]+ \w+\+0x", text, re.MULTILINE), text
