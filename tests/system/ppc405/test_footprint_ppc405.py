# SPDX-License-Identifier: MIT
"""The ppc405 kernel's bytes stay within bench/budgets/proteus.yaml, and its stack within the room that the image gives it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.build.kernel import build_kernel
from amalgam.measure import benches
from elftools.elf.elffile import ELFFile
from support import within_budget

MARGIN = 16
FROM_ASSEMBLY = ("vm_exit", "alarm_passed", "emulate", "before_resuming", "kernel_fault")  # what arch/ppc405/*.S calls


def test_bytes_within_their_budget(tmp_path: Path) -> None:
    rows = benches.module("proteus", "footprint").rows(benches.Context("proteus", lambda _text: None, output=tmp_path))
    values = {row.metric: row.value for row in rows}
    assert {"footprint-base", "footprint-full"} <= set(values)
    within_budget("proteus", values)


def call_graph(elf: Path) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Bytes of each function's frame, and whom it calls or jumps to."""
    code = subprocess.run(["powerpc-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(elf)], capture_output=True, text=True, check=True)
    frames: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    name = ""
    for line in code.stdout.splitlines():
        if found := re.match(r"[0-9a-f]{8} <(.*)>:", line):
            name = found[1]
            frames[name], calls[name] = 0, set()
        elif found := re.search(r"stwu\s+r1,-(\d+)\(r1\)", line):
            frames[name] += int(found[1])
        elif (found := re.search(r"\bbl?\s+[0-9a-f]+ <([^+>]*)>", line)) and found[1] != name:
            calls[name].add(found[1])
    return frames, calls


def deepest(name: str, frames: dict[str, int], calls: dict[str, set[str]], path: tuple[str, ...] = ()) -> int:
    assert name not in path, f"recursion: {' '.join(path)} {name}"
    below = (
        deepest(callee, frames, calls, (*path, name))
        for callee in calls[name]
        if callee in calls and callee not in ("resume", "return_from_c")
    )
    return frames[name] + max(below, default=0)


@pytest.mark.parametrize("shape", ["ppc405-base", "ppc405-paper", "ppc405"])
def test_stack_fits(shape: str) -> None:
    build_kernel(shape, lambda _text: None)
    elf = paths.kernel_elf(shape)
    frames, calls = call_graph(elf)
    with elf.open("rb") as file:
        symbols = {s.name: s for s in ELFFile(file).get_section_by_name(".symtab").iter_symbols()}
    room = symbols["stack_top"]["st_value"] - symbols["idle_context"]["st_value"] - 4 * 37  # struct context, below it
    entries = [name for name in calls if name in FROM_ASSEMBLY or name.startswith(("api_", "previrt_table"))]  # services: by a pointer
    assert set(FROM_ASSEMBLY) <= set(entries)
    used = max(deepest(name, frames, calls) for name in entries)
    assert 100 < used + MARGIN < room
