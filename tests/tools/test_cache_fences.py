# SPDX-License-Identifier: MIT
"""hal/cache.h promises that its operations are ordered with the loads and stores around them: on RISC-V by a fence, one a call."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths

LINE = ["clean_line", "invalidate_line", "clean_invalidate_line", "poll_line"]
RANGE = ["clean", "invalidate", "clean_invalidate"]
WHOLE = ["clean_all", "invalidate_all", "clean_invalidate_all"]
SOURCE = "\n".join(
    [
        "#include <hal/cache.h>",
        *(f"void t_{name}(const void *p); void t_{name}(const void *p) {{ cache_{name}(p); }}" for name in LINE),
        *(f"void t_{name}(const void *p, size_t n); void t_{name}(const void *p, size_t n) {{ cache_{name}(p, n); }}" for name in RANGE),
        "#ifndef NO_WHOLE",
        *(f"void t_{name}(void); void t_{name}(void) {{ cache_{name}(); }}" for name in WHOLE),
        "#endif",
    ]
)
FENCE = "fence\trw,rw"


def compiled(folder: Path, kind: str, *flags: str) -> dict[str, list[tuple[int, str]]]:
    """Addresses and instructions of each function, for the operations of kernel/cache/riscv-KIND."""
    source, made = folder / "ops.c", folder / "ops.o"
    source.write_text(SOURCE, encoding="utf-8")
    includes = [f"-I{paths.ROOT / 'kernel' / part}" for part in ("include", f"cache/riscv-{kind}", "arch/riscv/include")]
    words = [
        "riscv64-linux-gnu-gcc",
        "-std=gnu11",
        "-O2",
        "-march=rv64g",
        "-ffreestanding",
        *includes,
        *flags,
        "-c",
        "-o",
        str(made),
        str(source),
    ]
    subprocess.run(words, check=True)
    listing = subprocess.run(["riscv64-linux-gnu-objdump", "-d", str(made)], capture_output=True, text=True, check=True).stdout
    functions: dict[str, list[tuple[int, str]]] = {}
    for line in listing.splitlines():
        if found := re.match(r"[0-9a-f]+ <t_(\w+)>:", line):
            functions[found[1]] = []
        elif found := re.match(r"\s*([0-9a-f]+):\t[0-9a-f]+\s+\t(.*)", line):
            functions[list(functions)[-1]].append((int(found[1], 16), found[2]))
    return functions


def loop(code: list[tuple[int, str]]) -> tuple[int, int]:
    """The first and the last address of the loop: from the target of a branch backwards to that branch."""
    for at, text in code:
        if (found := re.match(r"b\w+\t.*,([0-9a-f]+) <", text)) and int(found[1], 16) <= at:
            return int(found[1], 16), at
    raise AssertionError(f"no loop: {code}")


def fences(code: list[tuple[int, str]]) -> list[int]:
    return [at for at, text in code if text.startswith(FENCE)]


@pytest.mark.parametrize("name", [*LINE, *RANGE, *WHOLE])
def test_a_marker_is_ordered_by_one_fence_a_call(tmp_path: Path, name: str) -> None:
    code = compiled(tmp_path, "marker")[name]
    assert len(fences(code)) == 1
    if name in RANGE:
        first, last = loop(code)
        assert not first <= fences(code)[0] <= last


@pytest.mark.parametrize("name", [*LINE, *RANGE])
def test_a_block_operation_has_a_fence_before_and_after_all_its_lines(tmp_path: Path, name: str) -> None:
    """The operation itself reads or writes memory: one fence orders it with what is before, one with what follows."""
    code = compiled(tmp_path, "cmo", "-DNO_WHOLE")[name]
    before, after = fences(code)
    first, last = loop(code) if name in RANGE else (before + 4, after - 4)
    assert before < first <= last < after
