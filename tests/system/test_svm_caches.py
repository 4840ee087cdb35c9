# SPDX-License-Identifier: MIT
"""Shared virtual memory under the coherence checker: no report as it is, and one for each drain and invalidate that is taken out.

The kernel is built from a copy of the tree, with a smaller problem and, for a mutant, without one line."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.binary.codenames import Names
from amalgam.board.scc import SHARED_AT
from amalgam.measure import coherence
from support import built_copy, said

CORES = (0, 1, 2)
FAR = (0, 46, 47)  # two quadrants
LINES, PAGES, END = SHARED_AT + 0x4FF000, SHARED_AT + 0x500000, SHARED_AT + 0x1000000  # board/scc.h
WORDS = SHARED_AT + 0x400000
SMALLER = {
    "proof/svm_task.c": ("#define ITERATIONS 10", "#define ITERATIONS 3"),
    "proof/svm_pauses.c": ("#define ITERATIONS 10", "#define ITERATIONS 4"),
    "proof/apps/stencil.h": ("STENCIL_ROWS    480", "STENCIL_ROWS    12"),
}
COUNT = "    svm_drain();\n    svm_count.given++;\n    __atomic_store_n(&svm_shared()->owner[page], svm_owned_by(word, "
GIVE, PUBLISH = ("svm/own.c", COUNT + "to)"), ("svm/own.c", COUNT + "OWNER_ALL)")
TAKE = ("svm/own.c", "        svm_invalidate();\n")
BARRIER_RELEASE = ("svm/sync.c", "    svm_release();\n    for")
BARRIER_ACQUIRE = ("svm/sync.c", "    svm_acquire();\n    return err;")
LOCK_ACQUIRE = ("svm/sync.c", "    svm_acquire();\n    return 0;")
DRAIN, INVALIDATE = ("svm/sync.c", "    svm_drain();\n}"), ("svm/sync.c", "    svm_invalidate();\n    end_copies(")
MOVE = ("svm/frame.c", "    mpbt_invalidate();\n")
UNLOCK_RELEASE = ("svm/sync.c", "    svm_release();\n    return give(")
WHOLE_PAGE = {("unordered", "memcpy", "store_bytes")}
"""A copy is of a whole page, with bytes that another core is about to write. The program reads them after an acquire, from a new copy."""
MUTANTS = (GIVE, TAKE, BARRIER_RELEASE, BARRIER_ACQUIRE, LOCK_ACQUIRE, UNLOCK_RELEASE, DRAIN, INVALIDATE, PUBLISH, MOVE)
PAUSES = {"system": "svm-pauses", "board": "scc", "domains": {"jacobi": {"kind": "task", "task": "svm-pauses", "cores": [0]}}}
PUBLISHED = {"system": "svm-publish", "board": "scc", "domains": {"publish": {"kind": "task", "task": "svm-publish", "cores": [0]}}}
TOUCH = {"system": "svm-touch", "board": "scc", "domains": {"touch": {"kind": "task", "task": "svm-touch", "cores": [0]}}}
LITMUS = {"system": "svm-litmus", "board": "scc", "domains": {"litmus": {"kind": "task", "task": "svm-litmus", "cores": [0]}}}


@dataclass
class Found:
    """What the checker reported: each kind with the functions of both sides."""

    kinds: dict[str, int]
    places: set[tuple[str, str, str]]
    accesses: int


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the smaller problem."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(paths.ROOT / "kernel", folder / "kernel")
    for name in ("config", "tools"):
        (folder / name).symlink_to(paths.ROOT / name)
    for name, (old, new) in SMALLER.items():
        change(folder / "kernel" / name, old, new)
    return folder


def kernel(tree: Path, shape: str, without: tuple[str, str] | None) -> Path:
    """Build a shape from the copy, without a line if one is named; the rest of what is named with it stays."""
    file, line = without or ("svm/own.c", "")
    path = tree / "kernel" / file
    text = path.read_text(encoding="utf-8")
    if line:
        change(path, line, line.split("\n", 1)[1])
    try:
        return built_copy(tree, shape)
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def checked(boot: Any, tree: Path, tmp_path: Path) -> Any:
    def run(
        system: Any, domain: str, last: str, without: tuple[str, str] | None = None, *, cores: tuple[int, ...] = CORES, shape: str = "scc"
    ) -> Found:
        elf, out = kernel(tree, shape, without), tmp_path / "coherence"
        words = coherence.options(out, "line=32", f"mpbt={LINES:x}:{END:x}", f"flag={WORDS:x}:{LINES:x}")
        with boot(system, icount=True, chosen=cores, kernel=elf, extra=words) as board:
            said(board, domain, last)
            said(board, "kernel", rf"^domain {domain}: done")
        found, names = coherence.read(out), Names([elf])
        places = {r.functions(names) for r in found.reports}
        return Found(found.kinds(), places, found.accesses)

    return run


def jacobi(checked: Any, without: tuple[str, str] | None = None) -> Found:
    return checked("svm", "jacobi", "jacobi lazy: 3 iterations on 3 cores: 0 words differ", without)


def litmus(checked: Any, without: tuple[str, str] | None = None) -> Found:
    """Copies are real here, too: a mutant may lose counts by twins."""
    twins = r"\d+" if without else "30"
    return checked(LITMUS, "litmus", f"litmus: rank 0: 0 words wrong in 20 messages; counted 30 of 30, by twins {twins}", without)


def publish(checked: Any, without: tuple[str, str] | None = None) -> Found:
    return checked(PUBLISHED, "publish", "publish: rank 0: 0 words wrong in 8 pages", without, shape="scc-migrate")


def touch(checked: Any, without: tuple[str, str] | None = None) -> Found:
    return checked(TOUCH, "touch", "touch: rank 0 at controller 0: 0 wrong", without, cores=FAR, shape="scc-migrate")


def test_every_operation_has_a_mutant() -> None:
    """The lines that the mutants lack are all drains and invalidates that there are."""
    operation = re.compile(r"^\s+(?:svm|mpbt)_(?:drain|invalidate|acquire|release)\(.*\);")
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in (paths.ROOT / "kernel" / "svm").rglob("*.c")}
    found = {
        (str(path.relative_to(paths.ROOT / "kernel")), n)
        for path, text in lines.items()
        for n, line in enumerate(text)
        if operation.match(line)
    }
    texts = {file: (paths.ROOT / "kernel" / file).read_text(encoding="utf-8") for file, _ in MUTANTS}
    assert {(file, texts[file][: texts[file].index(text)].count("\n")) for file, text in MUTANTS} == found


def test_nothing_is_reported_of_jacobi(checked: Any) -> None:
    found = jacobi(checked)
    assert found.places == set()
    assert found.accesses > 12 * 512 * 5 * 3 * 2  # each point's loads of both models were seen


def test_nothing_is_reported_of_pages_that_are_read_only_for_a_while(checked: Any) -> None:
    """Of several orders of execution."""
    found = checked(PAUSES, "jacobi", "order 6 on 3 cores: 0 words differ")
    assert found.places == set()
    assert found.accesses > 7 * 12 * 512 * 5 * 4


def test_nothing_is_reported_of_messages_and_a_lock(checked: Any) -> None:
    found = litmus(checked)
    assert found.places <= WHOLE_PAGE
    assert found.accesses > 20 * 16 * 2


def test_nothing_is_reported_of_pages_that_are_published(checked: Any) -> None:
    found = publish(checked)
    assert found.places == set()
    assert found.accesses > 8 * 16 * 2


def test_nothing_is_reported_of_pages_that_move_near_who_uses_them(checked: Any) -> None:
    found = touch(checked)
    assert found.places == set()
    assert found.accesses > 3 * 4 * 1024 * 6  # each copy and look at each page


@pytest.mark.parametrize(
    ("without", "kinds", "run"),
    [
        (BARRIER_RELEASE, {"unflushed"}, jacobi),
        pytest.param(BARRIER_ACQUIRE, {"stale"}, jacobi, marks=pytest.mark.full),
        pytest.param(GIVE, {"unflushed"}, litmus, marks=pytest.mark.full),
        (TAKE, {"stale"}, litmus),
        (LOCK_ACQUIRE, {"stale"}, litmus),
        pytest.param(UNLOCK_RELEASE, {"unflushed"}, litmus, marks=pytest.mark.full),
        pytest.param(DRAIN, {"unflushed"}, litmus, marks=pytest.mark.full),
        pytest.param(INVALIDATE, {"stale"}, litmus, marks=pytest.mark.full),
        (PUBLISH, {"unflushed"}, publish),
        (MOVE, {"stale"}, touch),
    ],
    ids=[
        "barrier-drain",
        "barrier-invalidate",
        "give-drain",
        "take-invalidate",
        "lock-invalidate",
        "unlock-drain",
        "drain",
        "invalidate",
        "publish-drain",
        "move-invalidate",
    ],
)
def test_what_is_taken_out_is_reported(checked: Any, without: tuple[str, str], kinds: set[str], run: Any) -> None:
    """The emulator's memory is coherent, so the program itself goes on as if nothing were missing."""
    found = run(checked, without)
    assert kinds <= set(found.kinds), found
