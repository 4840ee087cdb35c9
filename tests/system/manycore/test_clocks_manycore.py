# SPDX-License-Identifier: MIT
"""The three clocks of tools/plugin/clocks.c, against instructions counted by hand (guests/manycore/counted.c)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from amalgam.errors import UserError
from amalgam.measure import clocks
from amalgam.measure.clocks import Clocks, Mark, Span
from manycores import BOARDS, Start

pytestmark = pytest.mark.beside

CALL_MOST = 150  # instructions

SYSTEM = {"kernel": "build:counted.elf", "clusters": {"io": {"kind": "io", "harts": 1}, "compute": {"harts": 2}}}


RAM = (0x80200000, 0x80400000)


def counted(clusters: Start, board: str, out: Path, flags: bool = True, **more: Any) -> Clocks:
    options = clocks.options(out, [RAM] if flags else [], events=True, **more)
    clusters({"system": "counted", "board": board, **SYSTEM}, extra=options)
    return clocks.read(out)


def only(found: Clocks, number: int) -> Mark:
    (mark,) = found.find(number)
    return mark


@pytest.mark.parametrize("board", BOARDS)
def test_clocks_are_what_is_counted_by_hand(clusters: Start, board: str, tmp_path: Path) -> None:
    found = counted(clusters, board, tmp_path / "clocks")
    rung, woken, answered = (only(found, number) for number in (2, 3, 4))
    assert found.spans(1, 2) == [Span(12, 12, 12)]
    assert woken.own - rung.own == 4 + 4
    assert answered.path == rung.path + 4 + 20 + 2  # from the ring on: the wake-up of the other hart, its work, its ring
    assert woken.path == answered.path + 4
    assert woken.all - rung.all == 8 + 26 + 1
    assert (rung.hart, woken.hart, answered.hart) == (0, 0, 1)


@pytest.mark.parametrize("board", BOARDS)
def test_a_flag_is_taken_by_the_load(clusters: Start, board: str, tmp_path: Path) -> None:
    """The setter's 1,002 instructions lie on the loader's path, whose own are two; without the range they do not."""
    found = counted(clusters, board, tmp_path / "with")
    assert found.spans(5, 6) == [Span(1002, 1002, 1002)]
    set_, loaded = only(found, 6), only(found, 8)
    assert found.spans(7, 8)[0].own == 1
    assert loaded.path == set_.path
    without = counted(clusters, board, tmp_path / "without", flags=False)
    assert without.spans(7, 8) == [Span(1, 1, 1)]


@pytest.mark.parametrize("board", BOARDS)
def test_stores_to_chosen_words_and_sleeps_are_told(clusters: Start, board: str, tmp_path: Path) -> None:
    """The flag lies at a multiple of 4,096 behind its outbox's begin; the ring that is waited for 4 instructions after it was rung."""
    found = counted(clusters, board, tmp_path / "every", stores=[(*RAM, 4096)], sleeps=True)
    rung, woken, answered, set_ = (only(found, number) for number in (2, 3, 4, 6))
    (flag,) = [s for s in found.stores if s.hart == 0 and s.path == set_.path]
    assert flag.address % 4096 == 0 and all(s.address % 4096 == 0 for s in found.stores)
    naps = [(e.what, e.path) for e in found.events if e.hart == 0 and rung.path <= e.path <= woken.path and e.what in ("sleep", "wake")]
    assert naps == [("sleep", rung.path + 3), ("wake", answered.path)]
    low = flag.address + 4
    beside = counted(clusters, board, tmp_path / "beside", stores=[(low, low + 4096, 4096)])
    assert not [s for s in beside.stores if s.address == flag.address]
    both = counted(clusters, board, tmp_path / "both", stores=[(low, low + 4096, 4096), (flag.address, low, 4)])
    assert [s.path for s in both.stores if s.address == flag.address and s.hart == 0] == [set_.path]


@pytest.mark.parametrize("board", BOARDS)
def test_a_call_of_the_firmware_is_short(clusters: Start, board: str, tmp_path: Path) -> None:
    """From the kernel's ecall to its next instruction; docs/boards.md has the figure."""
    (span,) = counted(clusters, board, tmp_path / "clocks").spans(9, 10)
    assert span.own == span.path == span.all
    assert span.own <= CALL_MOST


def test_clocks_repeat_and_add_up(clusters: Start, tmp_path: Path) -> None:
    first, second = (counted(clusters, "manycore", tmp_path / name) for name in ("first", "second"))
    assert (first.marks, first.events, first.harts) == (second.marks, second.events, second.harts)
    assert sum(own for own, _ in first.harts.values()) == first.all
    assert all(own <= path for own, path in first.harts.values())
    assert max(path for _, path in first.harts.values()) <= first.all


WHOLE = "mark 1 0 10 10 10\nmark 2 0 15 17 20\nhart 0 15 17\nhart 1 5 5\nend 20\n"


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.removesuffix("end 20\n"),  # the emulator was killed
        WHOLE.replace("hart 1 5 5", "hart 1 6 6"),  # harts that ran at the same time
        "",
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "clocks").write_text(text, encoding="utf-8")
    with pytest.raises(UserError):
        clocks.read(tmp_path / "clocks")


@pytest.mark.parametrize(
    "text", [WHOLE.replace("mark 1 0 10 10 10\n", ""), WHOLE.replace("mark 2 0 15 17 20\n", ""), WHOLE.replace("mark 2 0", "mark 2 1")]
)
def test_a_span_that_is_not_whole_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "clocks").write_text(WHOLE, encoding="utf-8")
    assert clocks.read(tmp_path / "clocks").spans(1, 2) == [Span(5, 7, 10)]
    (tmp_path / "clocks").write_text(text, encoding="utf-8")
    with pytest.raises(UserError):
        clocks.read(tmp_path / "clocks").spans(1, 2)
