# SPDX-License-Identifier: MIT
"""RISC-V's way in saves few registers around a fast call (user/entry.S): its code changes no others, and calls nothing that might."""

from __future__ import annotations

import re
import subprocess

import pytest
from amalgam.build.kernel import build_kernel

CHANGED = {"a0", "t0", "t1", "t2"}
STORES = {"sb", "sh", "sw", "sd"}
BRANCHES = {"beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez", "bgt", "ble", "bgtu", "bleu"}


@pytest.mark.parametrize("shape", ["cluster", "cluster32"])
def test_a_fast_call_on_riscv_changes_no_register_that_is_not_saved(shape: str) -> None:
    kernel = build_kernel(shape, lambda _text: None)
    words = ["riscv64-linux-gnu-objdump", "-d", "--no-show-raw-insn", "--disassemble=process_fast", str(kernel)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    code = re.findall(r"^\s*[0-9a-f]+:\t(\S+)(?:\s+(\S+))?", text, re.MULTILINE)
    assert len(code) > 5
    writes = {operands.split(",")[0] for name, operands in code if name not in STORES | BRANCHES | {"j", "ret"}}
    assert writes <= CHANGED
