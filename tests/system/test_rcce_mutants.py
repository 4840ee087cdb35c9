# SPDX-License-Identifier: MIT
"""RCCE's library under the coherence checker: no report as it is, and one for each drain, invalidate, poll and clean that is taken out.

Most mutants run on one board, each on two cores of its own, in a program that hands a line over by the function which lacks something."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amalgam.artifacts import rcce
from amalgam.board.scc import CORES
from amalgam.build.kernel import build_kernel
from amalgam.build.natives import toolchain
from amalgam.measure import coherence
from amalgam.system.ues import PROGRAMS
from support import said
from test_rcce import BUFFERS, CHOSEN, HERE, LIBRARY, compiled

PROGRAMS_AT = 0x31200000  # in the board's memory: the programs' parts, one behind the other
REGISTERS = "31200000:31201000"  # the library's words of the shared memory, which nobody caches
WORDS, FAR = (0, 0x3000), (0x3000, 0x4000)  # of rcce/order.c: those and its own ones; what is cached as on a part with caches
OPERATION = re.compile(r"\b(?:mpbt_drain|mpbt_invalidate|cache_\w+|__atomic_thread_fence)\(.*\);")
NOT_SEEN = {("comm.c", "    __atomic_thread_fence(__ATOMIC_SEQ_CST);"), ("shared.c", "    __atomic_thread_fence(__ATOMIC_SEQ_CST);")}
"""These order the loads and stores of one core, which a P54C keeps in order; the checker is about what caches and write buffers do."""
DRAIN, INVALIDATE = "mpbt_drain(&rcce.own->drain);", "mpbt_invalidate();"


@dataclass(frozen=True)
class Mutant:
    """A library in which the operation is left out that `context` begins with (without its indent), but for `before`; and what shows it."""

    name: str
    file: str
    context: str
    report: str
    program: str  # a way of rcce/order.c, or a program of its own
    before: str = ""

    def text(self) -> tuple[str, int]:
        """What the file is then, and the line that was left out."""
        text = (LIBRARY / self.file).read_text(encoding="utf-8")
        assert text.count(self.before + self.context) == 1, self
        at = text.index(self.before + self.context) + len(self.before)
        operation = OPERATION.match(text, at)
        assert operation, self
        return text[:at] + "(void)0" + text[at + operation[0].index(";") :], text[:at].count("\n")


TELL_BYTE, TELL = "    *byte = value;\n    ", "    *word = value;\n    "
PINGPONG = (
    Mutant("byte-drain", "rcce.h", DRAIN, "unflushed", "pingpong", TELL_BYTE),
    Mutant("byte-invalidate", "rcce.h", INVALIDATE + "\n    cache_poll_line(byte)", "stale", "pingpong"),
    Mutant("byte-poll", "rcce.h", "cache_poll_line(byte);", "unordered", "pingpong"),
)
REQUESTS = tuple(Mutant(f"requests-{m.name}", m.file, m.context, m.report, "ircce", m.before) for m in PINGPONG[:2])
MORE = (
    Mutant("multicast-drain", "multicast.c", DRAIN, "unflushed", "more"),
    Mutant("air-barrier-drain", "air.c", DRAIN + "\n    if (increment(air)", "unflushed", "more"),
    Mutant("tns-drain", "barriers.c", DRAIN, "unflushed", "more"),
    Mutant("word-drain", "rcce.h", DRAIN, "unflushed", "more", TELL),
    Mutant("word-invalidate", "rcce.h", INVALIDATE + "\n    cache_poll_line(word)", "stale", "more"),
    Mutant("word-poll", "rcce.h", "cache_poll_line(word);", "unordered", "more"),
)
BY_SIZE = "rcce_copy(%s, (size_t)bytes);\n    "
ORDER = (
    Mutant("lock-drain", "rcce.h", DRAIN + "\n    __atomic_store_n(rcce.lock", "unflushed", "lock"),
    Mutant("barrier-drain", "comm.c", "mpbt_drain(drain);", "unflushed", "barrier"),
    Mutant("fence-drain", "comm.c", DRAIN, "unflushed", "fence"),
    Mutant("fence-invalidate", "comm.c", INVALIDATE, "stale", "fence"),
    Mutant("invalidate", "lib.c", INVALIDATE, "stale", "invalidate"),
    Mutant("queue-clear-drain", "queue_lock.c", DRAIN + "\n    u32 before", "lost", "queued"),
    Mutant("queue-drain", "queue_lock.c", DRAIN + " /* bring", "unflushed", "queue"),
    Mutant("put-invalidate", "memory.c", INVALIDATE + "\n    rcce_copy(there, source", "stale", "put-from"),
    Mutant("put-drain", "memory.c", DRAIN, "unflushed", "put", BY_SIZE % "there, source"),
    Mutant("get-invalidate", "memory.c", INVALIDATE + "\n    rcce_copy(target, there", "stale", "get"),
    Mutant("get-drain", "memory.c", DRAIN, "unflushed", "get-to", BY_SIZE % "target, there"),
    Mutant("memcpy-put-drain", "memory.c", DRAIN, "unflushed", "memcpy-put", "if (rcce.n)\n        "),
    Mutant("memcpy-get-invalidate", "memory.c", INVALIDATE + "\n    rcce_copy(to, from", "stale", "memcpy-get"),
    Mutant("shared-clean", "shared.c", "cache_clean_all();", "unflushed", "shared"),
    Mutant("increment-drain", "air.c", DRAIN + " /* a UE", "unflushed", "increment"),
    Mutant("counter-drain", "air.c", DRAIN + "\n    __atomic_store_n(air->init", "unflushed", "counter"),
)
WAYS = ("fence", "invalidate", "barrier", "flag", "lock", "queue", "queued", "put", "put-from")
WAYS += ("get", "get-to", "memcpy-put", "memcpy-get", "shared", "increment", "counter")


@pytest.fixture(scope="session", autouse=True)
def scc() -> Path:
    return build_kernel("scc", lambda _text: None)


@pytest.fixture(scope="session")
def tree() -> Path:
    return toolchain(lambda _text: None)


def made(tree: Path, folder: Path, source: Path, mutant: Mutant | None) -> Path:
    """A program with the mutant's library. Of a file alone the linker takes that one before the whole library's."""
    if not mutant:
        return compiled(source, tree, folder)
    library = folder / "library"
    shutil.copytree(LIBRARY, library)
    (library / mutant.file).write_text(mutant.text()[0], encoding="utf-8")
    changed = sorted(library.glob("*.c")) if mutant.file.endswith(".h") else [library / mutant.file]
    headers = [f"-I{library}", *rcce.kernel_words(folder / "headers")]
    return compiled(source, tree, folder, *headers, "-fwrapv", "-Wno-unused", *map(str, changed))


def test_every_operation_has_a_mutant() -> None:
    """The lines that the mutants lack are all that there are in the library, but for those that the checker cannot see."""
    files = [*LIBRARY.glob("*.[ch]"), *LIBRARY.glob("process/*.[ch]"), *LIBRARY.glob("start/*.[ch]")]
    found = {
        (str(path.relative_to(LIBRARY)), n)
        for path in files
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines())
        if OPERATION.search(line) and (path.name, line) not in NOT_SEEN
    }
    assert {(mutant.file, mutant.text()[1]) for mutant in (*PINGPONG, *MORE, *ORDER)} == found


def check(boot: Any, program: Path, cores: tuple[int, ...], words: tuple[str, ...], last: str, report: str) -> None:
    out = program.with_name("coherence.txt")
    native = {"kind": "native", "program": str(program), "arguments": ["checked", *words], "ues": list(cores), "memory": "512K"}
    options = coherence.options(out, "line=32", f"mpbt={BUFFERS}", f"flag={REGISTERS}")
    with boot(
        {"system": "rcce-checked", "board": "scc", "domains": {"checked": native}}, icount=True, chosen=cores, extra=options
    ) as board:
        said(board, "checked", last)
    found = coherence.read(out)
    assert found.accesses > 1000
    assert report in found.kinds() if report else found.kinds() == {}


def mutants_of(mutants: tuple[Mutant, ...]) -> Any:
    return pytest.mark.parametrize("mutant", [None, *mutants], ids=["right", *(mutant.name for mutant in mutants)])


@mutants_of(PINGPONG)
def test_the_checker_finds_what_the_library_leaves_out(boot: Any, tree: Path, tmp_path: Path, mutant: Mutant | None) -> None:
    program = made(tree, tmp_path, LIBRARY / "programs" / "pingpong.c", mutant)
    last = r"pingpong: UE 1, 3 times 5000 bytes and back, \d+ ns each way, 0 wrong"
    check(boot, program, (0, 5), ("5000", "3"), last, mutant.report if mutant else "")


@mutants_of(REQUESTS)
def test_the_checker_finds_what_requests_leave_out(boot: Any, tree: Path, tmp_path: Path, mutant: Mutant | None) -> None:
    program = made(tree, tmp_path, HERE / "ircce.c", mutant)
    check(boot, program, CHOSEN, (), rf"UE 0 of {len(CHOSEN)}: 0 wrong", mutant.report if mutant else "")


@mutants_of(MORE)
def test_the_checker_finds_what_barriers_tags_and_multicast_leave_out(boot: Any, tree: Path, tmp_path: Path, mutant: Mutant | None) -> None:
    program = made(tree, tmp_path, HERE / "more.c", mutant)
    check(boot, program, CHOSEN, (), rf"UE 0 of {len(CHOSEN)}: 0 wrong", mutant.report if mutant else "")


def hand_over(boot: Any, tree: Path, folder: Path, parts: dict[str, tuple[str, Mutant | None]]) -> Iterator[dict[str, set[str]]]:
    """Each part is a way of order.c with a library, on two cores of its own, all at a time; the kinds of reports of each."""
    out, domains, part_of = folder / "coherence.txt", {}, {}
    for n, (name, (way, mutant)) in enumerate(parts.items()):
        (folder / name).mkdir()
        cores = [2 * n, 2 * n + 1]
        program = made(tree, folder / name, HERE / "order.c", mutant)
        arguments = ["order", way]
        domains[f"part-{n}"] = {"kind": "native", "program": str(program), "arguments": arguments, "ues": cores, "memory": "160K"}
        part_of |= dict.fromkeys(cores, name)
    assert len(part_of) <= CORES
    size = PROGRAMS // len(parts) // 4096 * 4096
    ranges = []
    for at in range(PROGRAMS_AT, PROGRAMS_AT + len(parts) * size, size):
        ranges += [f"{what}={at + low:x}:{at + end:x}" for what, (low, end) in (("flag", WORDS), ("nc", FAR))]
    options = coherence.options(out, "line=32", f"mpbt={BUFFERS}", *ranges, "va=80000000:80400000")
    with boot({"system": "rcce-order", "board": "scc", "domains": domains}, icount=True, chosen=tuple(part_of), extra=options) as board:
        for core, name in part_of.items():
            if core % 2:
                said(board, "kernel", rf"core {core}: (?:\[part-\d+\] )?order: {parts[name][0]}: right")
            said(board, "kernel", (rf"core {core}: .*" if core else "^") + f"domain part-{core // 2}: done: exit status 0")
    found = coherence.read(out)
    kinds: dict[str, set[str]] = {name: set() for name in parts}
    for report in found.reports:
        assert part_of[report.core] == part_of[report.other], report
        kinds[part_of[report.core]].add(report.what)
    yield kinds


@pytest.fixture(scope="module")
def right(boot_module: Any, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, set[str]]]:
    yield from hand_over(boot_module, tree, tmp_path_factory.mktemp("right"), {way: (way, None) for way in WAYS})


@pytest.fixture(scope="module")
def wrong(boot_module: Any, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, set[str]]]:
    parts = {mutant.name: (mutant.program, mutant) for mutant in ORDER}
    yield from hand_over(boot_module, tree, tmp_path_factory.mktemp("wrong"), parts)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_reported_of_a_line_that_is_handed_over(right: dict[str, set[str]], way: str) -> None:
    assert right[way] == set()


@pytest.mark.parametrize("mutant", ORDER, ids=[mutant.name for mutant in ORDER])
def test_what_is_taken_out_of_each_way_is_reported(wrong: dict[str, set[str]], mutant: Mutant) -> None:
    assert mutant.report in wrong[mutant.name]
