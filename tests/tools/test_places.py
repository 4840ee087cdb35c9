# SPDX-License-Identifier: MIT
"""Names that the host puts to the addresses in a report of a kernel without names."""

from __future__ import annotations

from pathlib import Path

import pytest
from amalgam.board import places
from amalgam.board.console import Console
from amalgam.board.places import Places

KNOWN = [(0xFFFFFFC000001000, 0xFFFFFFC000001010, "first"), (0xFFFFFFC000001010, 0xFFFFFFC000001020, "second")]
SAID = "PANIC: x\r\n  ffffffc000001004\r\n  ffffffc000001010\n  ffffffc000001020\r\nat   ffffffc000001004\r\n  12 left\n> "
SHOWN = "PANIC: x\r\n  ffffffc000001004 first+0x4\r\n  ffffffc000001010 second+0x0\n  ffffffc000001020\r\nat   ffffffc000001004\r\n  12 left\n> "


@pytest.mark.parametrize("size", [1, 2, 7, 19, len(SAID)])
def test_an_address_alone_on_its_line_gets_a_name_however_it_comes(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(places, "functions", lambda _kernel: KNOWN)
    console = Console("compute", lambda _data: None, lambda: "")
    console.places = Places(Path("kernel"))
    for at in range(0, len(SAID), size):
        console.receive(SAID[at : at + size].encode())
    assert console.text == SHOWN


def test_nothing_is_held_back_but_a_carriage_return(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "functions", lambda _kernel: KNOWN)
    shown = Places(Path("kernel"))
    assert [shown.feed(text) for text in ("  ffff", "x\r", "", "\n")] == ["  ffff", "x", "\r", "\n"]
