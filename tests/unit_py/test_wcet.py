# SPDX-License-Identifier: MIT
"""Bounds of small routines whose longest path one can count by hand, and refusals of what has none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from amalgam import paths
from amalgam.wcet.analyse import Analysis
from amalgam.wcet.code import one, pipeline
from amalgam.wcet.flow import Unbounded
from amalgam.wcet.image import Image, load
from amalgam.wcet.ipet import Others
from amalgam.wcet.report import explained

CROSS = "powerpc-linux-gnu-"


def linked(folder: Path, source: str) -> Image:
    """Assemble and link `source` with the marks of include/wcet.h."""
    file = folder / "t.S"
    file.write_text("#include <wcet.h>\n.text\n" + source)
    words = [
        "-mcpu=405",
        "-nostdlib",
        "-static",
        "-D__ASSEMBLY__",
        f"-I{paths.ROOT / 'kernel/include'}",
        "-Wl,-Ttext=0x10000,-e0,--build-id=none",
    ]
    subprocess.run([CROSS + "gcc", *words, str(file), "-o", str(folder / "t.elf")], check=True, capture_output=True)
    return load(folder / "t.elf")


def bound(image: Image, name: str = "f", cost=one) -> int:
    return Analysis(image, cost).bound(image.symbols[name]).cost


def test_a_straight_routine_costs_its_instructions(tmp_path: Path) -> None:
    assert bound(linked(tmp_path, "f: li 3,1\n addi 3,3,1\n blr\n")) == 3


def test_the_longer_branch_counts(tmp_path: Path) -> None:
    source = "f: cmpwi 3,0\n beq 1f\n li 3,1\n li 3,2\n li 3,3\n blr\n1: blr\n"
    assert bound(linked(tmp_path, source)) == 6


def test_a_loop_runs_as_often_as_its_mark_says(tmp_path: Path) -> None:
    source = "f: li 3,8\n1: LOOP_BOUND 8\n addi 3,3,-1\n cmpwi 3,0\n bne 1b\n blr\n"
    assert bound(linked(tmp_path, source)) == 1 + 8 * 3 + 1


def test_a_loop_over_the_cores_runs_once_for_each(tmp_path: Path) -> None:
    source = "f: li 3,8\n1: LOOP_BOUND 0\n addi 3,3,-1\n cmpwi 3,0\n bne 1b\n blr\n"
    image = linked(tmp_path, source)
    assert [Analysis(image, one, Others(n)).bound(image.symbols["f"]).cost for n in (1, 4)] == [5, 14]


def test_loops_inside_loops_multiply(tmp_path: Path) -> None:
    source = """f: li 3,4
1: LOOP_BOUND 4
   li 4,5
2: LOOP_BOUND 5
   addi 4,4,-1
   cmpwi 4,0
   bne 2b
   addi 3,3,-1
   cmpwi 3,0
   bne 1b
   blr
"""
    assert bound(linked(tmp_path, source)) == 1 + 4 * (1 + 5 * 3 + 3) + 1


def test_calls_cost_what_they_call(tmp_path: Path) -> None:
    source = "f: mflr 0\n bl g\n bl g\n mtlr 0\n blr\ng: li 3,1\n blr\n"
    assert bound(linked(tmp_path, source)) == 5 + 2 * 2


def test_of_named_targets_the_dearest_counts(tmp_path: Path) -> None:
    source = """f: mflr 0
   INDIRECT_CALL g
   INDIRECT_CALL h
   bctrl
   mtlr 0
   blr
g: blr
h: li 3,1
   li 3,2
   blr
"""
    assert bound(linked(tmp_path, source)) == 4 + 3


def test_of_a_tables_targets_the_dearest_counts(tmp_path: Path) -> None:
    """Entries of 0 are holes; what lies beside the addresses is not looked at."""
    source = """f: INDIRECT_TABLE t, 3, 8, 4
   bctr
g: blr
h: li 3,1
   li 3,2
   blr
t: .long f, h, f, 0, f, g
"""
    assert bound(linked(tmp_path, source)) == 1 + 3


def test_two_loops_that_became_one_are_bounded_by_both_marks(tmp_path: Path) -> None:
    source = """f: li 3,4
1: lwz 4,0(5)
   cmpwi 4,0
   beq 2f
   LOOP_WAITS
   b 1b
2: LOOP_BOUND 4
   addi 3,3,-1
   cmpwi 3,0
   bne 1b
   blr
"""
    image = linked(tmp_path, source)
    assert Analysis(image, one, Others(4, 0, 100)).bound(image.symbols["f"]).cost == 1 + 4 * (3 + 3) + 4 * (3 + 1 + 100) + 1


def test_a_wait_costs_what_the_lock_costs_once(tmp_path: Path) -> None:
    source = "f: lwz 3,0(4)\n LOOP_WAITS\n cmpwi 3,0\n bne f\n blr\n"
    image = linked(tmp_path, source)
    assert bound(image) == 4
    found = Analysis(image, one, Others(4, 0, 1000)).bound(image.symbols["f"])
    assert (found.cost, found.waits) == (1004, 1)


def test_a_look_at_the_bakery_costs_one_turn_of_another_core(tmp_path: Path) -> None:
    image = linked(tmp_path, "f: lwz 3,0(4)\n WCET_MARK .wcet.waits, 1\n cmpwi 3,0\n bne f\n blr\n")
    assert bound(image) == 4
    assert Analysis(image, one, Others(4, 1000, 0)).bound(image.symbols["f"]).cost == 1004


def test_a_path_that_is_taken_once_does_not_count(tmp_path: Path) -> None:
    source = "f: cmpwi 3,0\n beq 1f\n blr\n1: WCET_MARK .wcet.stops, 1\n li 3,1\n li 3,2\n blr\n"
    assert bound(linked(tmp_path, source)) == 3


def test_a_path_that_stops_the_core_does_not_count(tmp_path: Path) -> None:
    source = "f: cmpwi 3,0\n beq 1f\n blr\n1: li 3,1\n li 3,2\n NEVER_RETURNS\n2: b 2b\n"
    assert bound(linked(tmp_path, source)) == 3


def test_a_call_of_what_never_returns_does_not_count(tmp_path: Path) -> None:
    source = "f: cmpwi 3,0\n bne 1f\n li 3,1\n li 3,2\n bl g\n1: blr\ng: NEVER_RETURNS\n2: b 2b\n"
    assert bound(linked(tmp_path, source)) == 3


def test_explain_lists_the_blocks_of_the_longest_path(tmp_path: Path) -> None:
    source = "f: mflr 0\n cmpwi 3,0\n beq 2f\n li 3,8\n1: LOOP_BOUND 8\n bl g\n cmpwi 3,0\n bne 1b\n2: mtlr 0\n blr\ng: addi 3,3,-1\n blr\n"
    analysis = Analysis(linked(tmp_path, source), one)
    blocks = explained(analysis, "f")
    assert [(runs, words, cost) for _, runs, words, cost in blocks] == [(1, 3, 3), (1, 1, 1), (8, 3, 5), (1, 2, 2)]
    assert sum(runs * cost for _, runs, _, cost in blocks) == bound(analysis.image)


def test_pipeline_cycles_count_multiples_and_loads(tmp_path: Path) -> None:
    source = "f: stmw 30,0(1)\n lwz 3,0(1)\n mullw 3,3,3\n blr\n"
    assert bound(linked(tmp_path, source), cost=pipeline) == 3 + 2 + 5 + 3


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("f: addi 3,3,-1\n cmpwi 3,0\n bne f\n blr\n", "loop without a bound"),
        ("f: cmpwi 3,0\n beq 1f\n LOOP_BOUND 3\n addi 3,3,-1\n1: cmpwi 4,0\n bne f\n blr\n", "not every iteration"),
        ("f: bctr\n", "nobody names"),
        ("f: mflr 0\n bl f\n blr\n", "calls itself"),
        ("f: b 0x80000\n", "where no code is"),
        ("f: cmpwi 3,0\n beq 2f\n1: addi 3,3,1\n2: addi 3,3,2\n cmpwi 3,9\n bne 1b\n LOOP_BOUND 2\n blr\n", "two entries"),
        ("f: b f\n", "loop without a bound"),
    ],
)
def test_what_has_no_bound_is_refused_with_the_reason(tmp_path: Path, source: str, why: str) -> None:
    with pytest.raises(Unbounded, match=why):
        bound(linked(tmp_path, source))
