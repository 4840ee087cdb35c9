# SPDX-License-Identifier: MIT
"""Litmus tests of each model of shared pages: the outcomes are those of one memory whose loads and stores come one after the other, no other
is seen, and the coherence checker has nothing to report. A mutant of the program, and one of the kernel, show that both can fail."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from amalgam.binary.codenames import Names
from amalgam.board.scc import SHARED_AT
from amalgam.build.kernel import build_kernel
from amalgam.measure import coherence
from rcce_process import line
from support import said
from test_svm_caches import END, LINES, TAKE, WORDS, kernel, tree  # noqa: F401 - tree is a fixture
from test_svm_processes import HERE, compiled, process
from test_svm_raceless import COPIED

CORES, ROUNDS, ROUNDS_FULL = [0, 6, 30, 47], 30, 100
MODELS = ("strong", "lazy", "twins", "once")
NEVER = {
    "mp": r"10/..", "sb": r"00/..", "lb": r"11/..", "corr": r"10/..", "coww": r"(21|20|10)/..", "2+2w": r"/11", "wrc": r"110/..", "iriw": r"1010/..",
    "mp-once": r"10/..", "corr-once": r"1(00|01|10)/..", "wrc-once": r"1(0.*|110)/..",
}  # fmt: skip
"""What each shape is known for: the outcome that an order of one memory never has."""
PROGRAM = "image_end"  # as the kernel's table names what lies behind it
RACES = {"lazy": {("unflushed", PROGRAM, PROGRAM)}, "twins": COPIED | {("lost", "store_bytes", "store_bytes")}}
"""These programs do race where the models leave it to them: a load that comes between another run's store and its release; two runs that
release the same byte at a time, of which the later one counts."""
Seen = dict[tuple[str, str], dict[str, int]]


def threads_of(source: Path) -> dict[str, tuple[str, ...]]:
    """Of each shape, from a program's source."""
    text = source.read_text(encoding="utf-8")
    return {name: tuple(re.findall(r'"([^"]+)"', threads)) for name, threads in re.findall(r'\{ "([\w+-]+)", \{ (".*?") \} \}', text)}


def shapes() -> dict[str, tuple[str, ...]]:
    return threads_of(HERE / "litmus.c")


def steps(thread: str) -> list[str]:
    return re.findall(r"W..|X..|R.|F|\?", thread)


@cache
def allowed(threads: tuple[str, ...]) -> frozenset[str]:
    """The outcomes of all orders."""
    found: set[str] = set()
    done: set[tuple[Any, ...]] = set()

    def go(left: tuple[tuple[str, ...], ...], memory: tuple[str, ...], loads: tuple[str, ...]) -> None:
        if (left, memory, loads) in done:
            return
        done.add((left, memory, loads))
        if not any(left):
            found.add("".join(loads) + "/" + memory[0] + memory[1])
        for t, (step, *rest) in ((t, thread) for t, thread in enumerate(left) if thread):
            after, now, got = [*left], [*memory], [*loads]
            after[t] = tuple(rest)
            if step[0] in "RX":
                got[t] += memory["xyzd".index(step[1])]
            if step[0] in "WX":
                now["xyzd".index(step[1])] = step[2]
            elif step == "?" and loads[t][-1] == "0":
                after[t] = ()
            go(tuple(after), tuple(now), tuple(got))

    go(tuple(tuple(steps(thread)) for thread in threads), ("0",) * 4, ("",) * len(threads))
    return frozenset(found)


def wrong(seen: Seen) -> dict[tuple[str, str], set[str]]:
    """Outcomes that there must not be."""
    return {key: more for key, outcomes in seen.items() if (more := set(outcomes) - allowed(shapes()[key[1]]))}


@pytest.fixture
def litmus(boot: Any, tmp_path: Path) -> Any:
    def run(model: str, rounds: int, broken: str = "none", elf: Path | None = None) -> tuple[Seen, dict[tuple[str, str, str], int]]:
        """What was seen, and the checker's reports with the functions of both sides."""
        elf, out = elf or build_kernel("scc-process", lambda _text: None), tmp_path / "coherence"
        flags = (f"flag={WORDS:x}:{LINES:x}", f"flag={SHARED_AT + 0x160000:x}:{SHARED_AT + 0x161000:x}")  # the last: `shared`
        words = coherence.options(out, "line=32", f"mpbt={LINES:x}:{END:x}", "va=80000000:e0000000", *flags)
        domain = process(compiled("litmus", tmp_path), CORES, "1M", str(rounds), model, broken)
        made = {"system": "svm-litmus-process", "board": "scc", "domains": {"litmus": domain}}
        with boot(made, icount=True, chosen=CORES, kernel=elf, extra=words) as board:
            for rank, core in enumerate(CORES):
                said(board, *line(core, "litmus", rf"litmus: rank {rank} of {len(CORES)}: done"), 600)
            text = board["litmus"].text + board.kernel.text
        seen: Seen = {}
        for model, shape, outcome, count in re.findall(r"^litmus: (\w+) (\S+) (\d*/\d\d) (\d+)", text, re.MULTILINE):
            seen.setdefault((model, shape), {})[outcome] = int(count)
        assert "read-only: " not in text
        found, names = coherence.read(out), Names([elf])
        reports: dict[tuple[str, str, str], int] = {}
        for r in found.reports:
            place = r.functions(names)
            reports[place] = reports.get(place, 0) + r.count
        return seen, reports

    return run


def test_what_a_shape_is_known_for_is_in_no_order() -> None:
    assert set(shapes()) == set(NEVER)
    for name, threads in shapes().items():
        assert not [outcome for outcome in allowed(threads) if re.fullmatch(NEVER[name], outcome)], name


@pytest.mark.parametrize("model", MODELS)
def test_each_model_has_the_outcomes_of_one_memory_and_no_other(litmus: Any, full: bool, model: str) -> None:
    """Chance puts pauses between the accesses, so that most outcomes are seen."""
    rounds = ROUNDS_FULL if full else ROUNDS
    seen, reports = litmus(model, rounds)
    for (_model, shape), outcomes in seen.items():
        print(f"{model} {shape}: {len(outcomes)} of {len(allowed(shapes()[shape]))} outcomes:", *(f"{k} {n}" for k, n in outcomes.items()))
    print(model, reports)
    assert set(seen) == {(model, shape) for shape in shapes() if ("-once" in shape) == (model == "once")}
    assert all(sum(outcomes.values()) == rounds for outcomes in seen.values())
    assert wrong(seen) == {}
    assert all(len(outcomes) > 1 for outcomes in seen.values())
    assert model == "once" or {outcome.partition("/")[0] for outcome in seen[model, "sb"]} == {"01", "10", "11"}
    assert set(reports) <= RACES.get(model, set())
    assert model == "twins" or sum(reports.values()) < rounds / 4


@pytest.mark.parametrize(("rule", "kind"), [("release", "unflushed"), ("acquire", "stale")])
def test_without_its_release_or_acquire_a_program_has_other_outcomes(litmus: Any, rule: str, kind: str) -> None:
    """Twins are real copies here, so they show it; of lazy pages the checker tells, many times."""
    assert wrong(litmus("twins", 8, rule)[0])
    _seen, reports = litmus("lazy", 8, rule)
    print(rule, reports)
    assert sum(count for (what, *_places), count in reports.items() if what == kind) > 8 * len(NEVER)


@pytest.mark.full
def test_a_kernel_that_does_not_invalidate_is_reported(litmus: Any, tree: Path, full: bool) -> None:  # noqa: F811
    """A strong page that has come, with what this core's cache has of its last stay."""
    seen, reports = litmus("strong", 8, elf=kernel(tree, "scc-process", TAKE))
    assert wrong(seen) == {}
    assert "stale" in {what for what, *_places in reports}
