# SPDX-License-Identifier: MIT
"""What knows no instruction set is right for words of 32 bits, too."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from amalgam import paths, proc
from amalgam.build import portable

MISTAKES = {
    "a format": ('#include <core/log.h>\nvoid f(size_t n);\nvoid f(size_t n) { printk("%llu", n); }\n', "format"),
    "a pointer": ("#include <types.h>\nu64 f(void *p);\nu64 f(void *p) { return (u64)p; }\n", "pointer-to-int-cast"),
    "a narrowing": ("#include <types.h>\nsize_t f(u64 n);\nsize_t f(u64 n) { return n; }\n", "shorten-64-to-32"),
    "an atomic half word": (
        "#include <types.h>\nu16 f(u16 *p);\nu16 f(u16 *p) { return __atomic_fetch_add(p, 1, 0); }\n",
        "__atomic_fetch_add_2",
    ),
    "an atomic double word": (
        "#include <types.h>\nu64 f(u64 *p);\nu64 f(u64 *p) { return __atomic_exchange_n(p, 1, 0); }\n",
        "__atomic_exchange_8",
    ),
}


def test_it_compiles_without_a_warning_for_rv64_rv32_and_i586(tmp_path: Path) -> None:
    files = portable.sources()
    assert len(files) > 30
    assert portable.complaints(files, tmp_path) == []


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_found(name: str, tmp_path: Path) -> None:
    if name == "an atomic half word" and int(proc.run([portable.RISCV, "-dumpversion"], "asking for its version").split(".")[0]) > 12:
        pytest.skip(f"{portable.RISCV} makes it of a whole word's instructions since version 13")
    text, word = MISTAKES[name]
    source = tmp_path / "mistake.c"
    source.write_text(text)
    assert word in "\n".join(portable.complaints([source], tmp_path))


def test_no_format_takes_a_long() -> None:
    """kvsnprintf() takes %llu, a u64; gcc does not mind %lu, whose argument would be read as one."""
    for path in (paths.ROOT / "kernel").rglob("*.c"):
        assert not re.search(r"%[-0-9]*l[^l]", path.read_text()), path


def test_words_of_32_bits_print_and_do_not_tear(tmp_path: Path) -> None:
    """The same files run as a program for i586 without a C library: tests/host/words.c says what failed by its status."""
    program = tmp_path / "words"
    compiler, _, flags = portable.TARGETS["i586"]
    sources = [paths.ROOT / name for name in ("tests/host/words.c", "kernel/core/log.c", "kernel/lib/string.c")]
    subprocess.run(
        [compiler, *flags, *portable.FLAGS, *portable.includes(paths.ROOT), "-nostdlib", "-static", "-o", program, *sources], check=True
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "words: all right\n")
