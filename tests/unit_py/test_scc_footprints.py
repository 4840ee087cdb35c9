# SPDX-License-Identifier: MIT
"""What of RCCE a program links (bench/scc/footprints.py)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from amalgam import paths
from amalgam.measure.benches import Context, module

SENDS = "#include <RCCE.h>\nint RCCE_APP(int argc, char **argv)\n{\n    return RCCE_init(&argc, &argv) + RCCE_send(*argv, 1, argc);\n}\n"


@pytest.fixture(scope="module")
def footprints() -> ModuleType:
    return module("scc", "footprints")


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context("scc", lambda _text: None, output=tmp_path)


def source(ctx: Context, name: str, text: str) -> str:
    ctx.file(name).write_text(text, encoding="utf-8")
    return str(ctx.file(name))


def test_only_what_a_program_links_is_counted(footprints: ModuleType, ctx: Context) -> None:
    none = footprints.linked(ctx, "none", [source(ctx, "none.c", footprints.NOTHING)])
    sends = footprints.linked(ctx, "sends", [source(ctx, "sends.c", SENDS)])
    assert {"entry", "start"} <= none.keys() and "send" not in none
    assert sends["send"] > 500 and sends.keys() > none.keys()
    assert not {"ircce", "wait_list", "power"} & sends.keys()


def test_all_is_every_source_of_the_library(footprints: ModuleType, ctx: Context) -> None:
    parts = footprints.linked(ctx, "all", [source(ctx, "none.c", footprints.NOTHING), *footprints.WHOLE])
    assert {path.stem for path in (paths.ROOT / "user" / "rcce").glob("*.c")} <= parts.keys()


def test_an_address_counts_with_its_relocation(footprints: ModuleType, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine addresses more in a table: 4 bytes each, and 8 in the table of relocations."""
    monkeypatch.setattr(footprints, "ENTRY", ".o")  # the program's own object, too

    def count(addresses: int) -> int:
        table = f"static int word;\nint *volatile table[] = {{ {', '.join(['&word'] * addresses)} }};\n"
        program = source(ctx, f"{addresses}.c", f"{table}int main(int argc, char **argv)\n{{\n    return argv && *table[argc];\n}}\n")
        return sum(footprints.linked(ctx, "table", [program]).values())

    assert count(41) - count(32) == 9 * (4 + 8)
