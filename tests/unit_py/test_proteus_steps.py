# SPDX-License-Identifier: MIT
"""Table 3 of the Proteus paper: a path through the kernel is split by what its instructions are for."""

from __future__ import annotations

import pytest
from amalgam.measure import benches

STMW, STW, MFCR, MFSPRG3, MFCTR, MTSPRG0 = 0xBC410008, 0x90010000, 0x7FC00026, 0x7C3342A6, 0x7FE902A6, 0x7C3043A6
MFESR, LWZ, MTCTR, BCTR = 0x7FB4F2A6, 0x83A10044, 0x7F0903A6, 0x4E800420
CLRRWI, STW_EVPR, MTCRF, LMW, RFI = 0x57590020 & ~0x1E, 0x93210038, 0x7FCFF120, 0xB8410008, 0x4C000064
ENTRY = [MTSPRG0, MFSPRG3, STMW, STW, MFCR, MFCTR]
LEAVE = [MTCTR, MTCRF, LMW, LWZ, RFI]


@pytest.fixture(scope="module")
def split():
    return benches.module("proteus", "instructions").split_steps


def test_a_path_is_split_at_what_its_instructions_are_for(split) -> None:
    path = [*ENTRY, MFESR, LWZ, MTCTR, BCTR, LWZ, MTCTR, BCTR, CLRRWI, STW_EVPR, *LEAVE]
    assert split(path) == {"save": 6, "dispatch": 7, "emulate": 2, "restore": 5}


def test_nothing_is_counted_twice_or_not_at_all(split) -> None:
    """Of instructions that save and load in the middle, too: only a path's ends save and restore."""
    path = [*ENTRY, LWZ, STW, MTCTR, BCTR, LWZ, STW, LWZ, CLRRWI, *LEAVE]
    found = split(path)
    assert sum(found.values()) == len(path)
    assert (found["save"], found["dispatch"], found["emulate"]) == (6, 4, 4)


def test_a_path_without_a_computed_jump_is_no_emulation(split) -> None:
    with pytest.raises(ValueError):
        split([*ENTRY, MFESR, CLRRWI, *LEAVE])
