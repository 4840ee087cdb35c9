# SPDX-License-Identifier: MIT
"""Unit tests and fuzzers are built again when their compiler is told something else: other flags or sources in a fragment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from amalgam import paths

# Says what it makes, and makes it empty.
STUB = '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ntouch "$2"\necho "$2" >>{log}\n'


@pytest.mark.parametrize(("folder", "begin", "compiler"), [("unit", "test_", "CC"), ("fuzz", "fuzz_", "CLANG")])
def test_what_is_compiled_by_other_words_is_built_again(folder: str, begin: str, compiler: str, tmp_path: Path) -> None:
    out, log, stub = tmp_path / "out", tmp_path / "log", tmp_path / "compiler"
    stub.write_text(STUB.format(log=log), encoding="utf-8")
    stub.chmod(0o755)
    command = ["make", "-s", "-C", paths.ROOT / "tests" / folder, f"OUT={out}", f"{compiler}={stub}", f"PYTHON={sys.executable}"]

    def built(*words: str) -> list[str]:
        """What of `names` was compiled."""
        log.write_text("", encoding="utf-8")
        subprocess.run([*command, *words, *(out / f"{begin}{name}" for name in names)], check=True)
        return [path.name.removeprefix(begin) for path in map(Path, log.read_text("utf-8").split()) if path.name.startswith(begin)]

    listed = subprocess.run([*command, "list"], capture_output=True, text=True, check=True).stdout.split()
    names = listed if folder == "unit" else ["acpi"]
    assert "acpi" in listed
    assert sorted(built()) == sorted(names)
    flags = "acpi_CFLAGS=-Wl,-T,x '-DA=\".b\"'"
    assert [built(), built(flags), built(flags), built()] == [[], ["acpi"], [], ["acpi"]]
    assert [built("acpi_SRC=kernel/core/log.c"), built(), built()] == [["acpi"], ["acpi"], []]
