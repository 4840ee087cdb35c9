# SPDX-License-Identifier: MIT
"""The coherence checker: a right program has no report, and each operation that is left out is reported where it is missed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TARGETS = ("rv64", "rv32", "i386")
ROUNDS, WORDS = 3, 32
ALL, AGAIN = ROUNDS * WORDS, (ROUNDS - 1) * WORDS  # the first round fills the copy
Checker = Callable[..., Any]

BELL = ("consume", "data-load", "produce", "data-store")
POLLED = ("consume_polled", "polled-data-load", "produce_polled", "polled-data-store")
FLAG = ("consume_polled", "flag-load", "produce_polled", "flag-store")
WHOLE = ("consume_whole", "whole-load", "produce_whole", "whole-store")

MUTANTS = {
    "NO_CLEAN": [("unflushed", ALL, *BELL)],
    "NO_INVALIDATE": [("stale", AGAIN, *BELL)],
    "NO_FLAG_CLEAN": [("unflushed", ROUNDS, *FLAG)],
    "NO_FLAG_INVALIDATE": [("unordered", 1, *FLAG), ("unordered", ALL, *POLLED), ("stale", ROUNDS - 1, *FLAG)],
    "NO_DATA_CLEAN": [("unflushed", ALL, *POLLED)],
    "NO_DATA_INVALIDATE": [("stale", AGAIN, *POLLED)],
    "NO_WHOLE_CLEAN": [("unflushed", ALL, *WHOLE)],
    "NO_WHOLE_INVALIDATE": [("stale", AGAIN, *WHOLE)],
}
ORDER = {
    "LATE_CLEAN": [("unordered", ALL, *POLLED)],
    "EARLY_BELL": [("unordered", ALL, *BELL)],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("variant", ["RIGHT", "RIGHT_POLLED", "RIGHT_WHOLE"])
def test_a_right_program_has_no_report(checked: Checker, target: str, variant: str) -> None:
    run = checked(target, variant=variant)
    assert run.places() == []
    assert run.found.accesses > ROUNDS * WORDS * 2  # it was looked at


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("variant", MUTANTS)
def test_each_operation_that_is_left_out_is_reported(checked: Checker, target: str, variant: str) -> None:
    assert checked(target, variant=variant).places() == MUTANTS[variant]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("variant", ORDER)
def test_data_cleaned_after_the_signal_is_unordered_though_the_values_are_right(checked: Checker, target: str, variant: str) -> None:
    assert checked(target, variant=variant).places() == ORDER[variant]


@pytest.mark.parametrize("target", TARGETS)
def test_two_writers_of_a_line_are_reported_by_both_their_stores(checked: Checker, target: str) -> None:
    assert checked(target, variant="ONE_LINE").places() == [
        ("shared", ROUNDS, "consume", "both-store-1", "produce", "both-store-0"),
        ("lost", ROUNDS, "produce", "both-clean-0", "consume", "both-store-1"),
        ("lost", ROUNDS - 1, "consume", "both-clean-1", "produce", "both-store-0"),
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_an_invalidate_before_the_clean_is_reported(checked: Checker, target: str) -> None:
    assert checked(target, variant="DISCARD").places() == [("discard", ROUNDS, "produce", "discard", "produce", "data-store")]


@pytest.mark.parametrize("target", TARGETS)
def test_a_foreign_slice_is_reported(checked: Checker, target: str) -> None:
    assert checked(target, variant="FOREIGN").places() == [("foreign", ROUNDS, "consume", "foreign")]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("RIGHT_DMA", []),
        ("DMA_NO_CLEAN", [("unflushed", ALL, "be_dma", "dma-copy", "use_dma", "dma-store")]),
        ("DMA_NO_INVALIDATE", [("stale", AGAIN, "use_dma", "dma-result-load", "be_dma", "dma-copy")]),
    ],
)
def test_a_dma_core_passes_the_caches_by(checked: Checker, target: str, variant: str, expected: list[Any]) -> None:
    cached = "nc=200000:210000" if target == "i386" else "nc=80200000:80210000"
    assert checked(target, variant=variant, words=(cached, "uncached=1:1")).places() == expected


@pytest.mark.parametrize("target", TARGETS)
def test_a_run_repeats_to_the_instruction(checked: Checker, target: str) -> None:
    first = checked(target, variant="ONE_LINE").text
    assert first == checked(target, variant="ONE_LINE").text
    assert "lost" in first
