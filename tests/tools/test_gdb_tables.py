# SPDX-License-Identifier: MIT
"""The walk of gdb's script through tables of a guest in ring 1, which the guest writes: right ones, and random ones."""

from __future__ import annotations

import importlib.util
import random
from types import ModuleType

import pytest
from amalgam import paths

PRESENT, WRITE, USER, LARGE_PAGE = 1, 2, 4, 0x80
PAGED, LARGE = 1 << 31, 1 << 4
RANGES = [(0, 0x10000, 0x500000), (0x80000, 0x1000, 0x900000)]
WALKS = 20000


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tables586", paths.ROOT / "tools/gdb/tables586.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_is_found_by_two_tables_and_has_what_both_grant(tables: ModuleType) -> None:
    words = {0x500000 + 0x1000 + 4 * 3: 0x2000 | PRESENT | WRITE, 0x500000 + 0x2000 + 4 * 5: 0x80000 | PRESENT | USER}
    assert tables.translate(words.__getitem__, RANGES, (PAGED, 0x1018, 0), 0xC05123) == (0x80123, "kernel, read only")
    words[0x500000 + 0x1000 + 4 * 3] = 0x400000 | LARGE_PAGE | PRESENT | WRITE
    assert tables.translate(words.__getitem__, RANGES, (PAGED, 0x1000, LARGE), 0xC05123) == (0x405123, "kernel, written")
    with pytest.raises(tables.NowhereError, match="the page table of 0xc05123 is 0x400000"):
        tables.translate(words.__getitem__, RANGES, (PAGED, 0x1000, 0), 0xC05123)
    assert tables.translate(words.__getitem__, RANGES, (0, 0x1000, 0), 0xC05123) == (0xC05123, "no paging")


def test_random_tables_lead_nowhere_but_into_the_guests_memory(tables: ModuleType) -> None:
    """Words of tables are random, and often name tables; each walk ends after two, whatever they are."""
    seen, chance = [], random.Random(1)

    def read(at: int) -> int:
        assert at % 4 == 0
        assert any(where <= at < where + size for _, size, where in RANGES), f"{at:#x} is not the guest's"
        seen.append(at)
        return chance.choice([chance.getrandbits(32), chance.randrange(0x11) << 12 | PRESENT, 0x80000 | PRESENT | chance.getrandbits(9)])

    found = 0
    for _ in range(WALKS):
        seen.clear()
        registers = (
            chance.choice([0, PAGED]),
            chance.choice([chance.getrandbits(32), chance.randrange(0x12) << 12]),
            chance.choice([0, LARGE]),
        )
        try:
            gpa, _rights = tables.translate(read, RANGES, registers, chance.getrandbits(32))
            tables.host_of(RANGES, gpa, "")
            found += 1
        except tables.NowhereError:
            pass
        assert len(seen) <= 2
    assert WALKS / 20 < found < WALKS


def test_a_range_is_looked_at_by_pages_and_ends_at_4_gib(tables: ModuleType) -> None:
    assert list(tables.pieces(0x1FF0, 0x1020)) == [(0x1FF0, 16), (0x2000, 4096), (0x3000, 16)]
    assert list(tables.pieces(0xFFFFFFF0, 4096)) == [(0xFFFFFFF0, 16)]
