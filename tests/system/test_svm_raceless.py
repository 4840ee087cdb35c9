# SPDX-License-Identifier: MIT
"""Random programs without races on pages that the runs of a process share: each reads what one run alone would compute."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam.binary.codenames import Names
from amalgam.board.board import Board
from amalgam.board.scc import SHARED_AT
from amalgam.build.kernel import build_kernel
from amalgam.measure import coherence
from rcce_process import line
from support import said
from test_svm_caches import END, LINES, WHOLE_PAGE, WORDS
from test_svm_processes import compiled, process

CORES = [0, 6, 17, 30, 47]
PHASES, SEEDS, SEEDS_FULL = 10, 3, 30
BROKEN = {"owner": [1, 12], "lock": [2, 13, 26], "acquire": [3, 14, 27], "release": [4, 15, 28]}
"""Rules of the programs, and the cores on which runs break one."""
COPIED = WHOLE_PAGE | {("unflushed", "memcpy", "store_bytes")}
"""Here cores use parts of one page, so one also copies a page while another one's release stores to it, and before it drains."""


def results(board: Board, name: str, cores: list[int], seed: int) -> list[tuple[int, str]]:
    """What each run says at the end of a program: how many values were wrong, and the sum of what is in the pages then."""
    text = rf"raceless: seed {seed} phases \d+ wrong (\d+), sum ([0-9a-f]{{8}})"
    said_by_all = [said(board, *line(core, name, text), 120) for core in cores]
    return [(int(match[1]), match[2]) for match in said_by_all]


def test_programs_without_races_compute_what_one_core_alone_does(boot: Any, full: bool, tmp_path: Path) -> None:
    """With each model, under locks, in turns, and while a region changes its model. Who breaks a rule beside them sees other values."""
    program, seeds = compiled("raceless", tmp_path), SEEDS_FULL if full else SEEDS
    domains = {"right": process(program, CORES, "64K", "1", str(seeds), str(PHASES))}
    domains |= {rule: process(program, cores, "64K", "1", "1", str(PHASES), rule) for rule, cores in BROKEN.items()}
    chosen = sorted({*CORES, *(core for cores in BROKEN.values() for core in cores)})
    with boot({"system": "svm-raceless", "board": "scc", "domains": domains}, icount=True, chosen=chosen) as board:
        found = [results(board, "right", CORES, seed) for seed in range(1, seeds + 1)]
        assert all(of_a_seed == [(0, of_a_seed[0][1])] * len(CORES) for of_a_seed in found), found
        assert len({of_a_seed[0][1] for of_a_seed in found}) == seeds
        for rule, cores in BROKEN.items():
            assert any(wrong for wrong, _sum in results(board, rule, cores, 1)), rule
        assert not re.search("FAULT|PANIC", board.kernel.text)


@pytest.mark.parametrize(("rule", "kinds"), [("none", set()), ("release", {"unflushed", "lost"}), ("acquire", {"stale"})])
def test_caches_show_nothing_of_programs_without_races(boot: Any, tmp_path: Path, rule: str, kinds: set[str]) -> None:
    """And what a program leaves out is reported."""
    elf, out, cores = build_kernel("scc-process", lambda _text: None), tmp_path / "coherence", CORES[:3]
    domain = process(compiled("raceless", tmp_path), cores, "64K", "7", "1", str(PHASES), rule)
    flags = (f"flag={WORDS:x}:{LINES:x}", f"flag={SHARED_AT + 0x160000:x}:{SHARED_AT + 0x161000:x}")  # the last: `shared`
    words = coherence.options(out, "line=32", f"mpbt={LINES:x}:{END:x}", *flags)
    made = {"system": "svm-raceless", "board": "scc", "domains": {"raceless": domain}}
    with boot(made, icount=True, chosen=cores, extra=words) as board:
        found_wrong = sum(wrong for wrong, _sum in results(board, "raceless", cores, 7))
        assert kinds or not found_wrong
    found, names = coherence.read(out), Names([elf])
    places = {r.functions(names) for r in found.reports}
    assert {what for what, *_places in places - COPIED} == kinds
    assert found.accesses > PHASES * len(cores) * 40
