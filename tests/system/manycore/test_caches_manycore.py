# SPDX-License-Identifier: MIT
"""Remote calls and the network under the coherence checker: kernel stacks, on which caller and master share requests and their data, and
outboxes. Two cache policies have no report, the one for coherent caches has, and so has each without one of its operations.

Mutants are built from a copy of the tree, without one line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam import paths
from amalgam.artifacts.machines import MACHINES
from amalgam.build import programs
from amalgam.build.kernel import build_kernel
from amalgam.measure import coherence
from amalgam.system.compile import checked as placed_system
from support import built_copy

pytestmark = pytest.mark.beside

CHECKED = "va=ffffffe000000000:fffffffffffff000"  # stacks and outboxes (arch/riscv/64/include/arch/pte.h): what is not the scheduler's
POLICIES = ("everything", "ranges")
ROUNDS = 6  # of neighbours: two messages each, so that the eight slots of a lane are used again, and old copies of their lines are stale


@dataclass
class Mutant:
    """A line that a copy of the kernel lacks; the rest of `text` only says which one it is."""

    file: str
    text: str  # its first line goes
    kinds: set[str]  # of which at least one is reported
    run: str = "pair"
    policy: str = "ranges"
    instead: str = ""


LANE, SLOTS, NOTICE = "cluster/lane.h", "cluster/lane_slots.c", "cluster/lane_notice.c"
SIGNAL, OWNERS = "cluster/lane_signal.h", "cluster/peer_owners.c"
REQUEST, MASTER, CALLS = "cluster/request.c", "cluster/master.c", "cluster/calls_portal.c"
RANGES, EVERYTHING = "cluster/policy_ranges.c", "cluster/policy_everything.c"
MUTANTS = {
    "give-data": Mutant(RANGES, "    if (data)\n        cache_clean(", {"unflushed"}, instead="    if (!r)"),
    "give-request": Mutant(RANGES, "    cache_clean(passed(r), PASSED", {"unflushed"}),
    "get-request": Mutant(RANGES, "    cache_invalidate(passed(r), PASSED", {"stale"}),
    "get-data": Mutant(RANGES, "    if (data)\n        cache_invalidate(", {"stale"}, instead="    if (!r)"),
    "leave": Mutant(REQUEST, "    policy_leave(r);\n", {"unflushed"}),
    "return": Mutant(REQUEST, "    policy_return(r);\n", {"stale"}),
    "take": Mutant(MASTER, "    policy_take(r);\n    serve", {"stale"}),
    "take-several": Mutant(MASTER, "        policy_take(r);\n        r->link", {"stale"}),
    "finish": Mutant(MASTER, "    policy_finish(r);\n", {"unflushed"}),
    "everything-leave": Mutant(REQUEST, "    policy_leave(r);\n", {"unflushed"}, policy="everything"),
    "everything-return": Mutant(REQUEST, "    policy_return(r);\n", {"stale"}, policy="everything"),
    "everything-take": Mutant(MASTER, "    policy_take(r);\n    serve", {"stale"}, policy="everything"),
    "everything-finish": Mutant(MASTER, "    policy_finish(r);\n", {"unflushed"}, policy="everything"),
    "look-earlier": Mutant(MASTER, "        policy_look(r);\n        struct", {"stale", "unordered", "unflushed"}),
    "look-state": Mutant(REQUEST, "    policy_look(&r->state);\n    return", {"stale"}),
    "look-cancelled": Mutant(MASTER, "    policy_look(r);\n    return READ_ONCE(r->cancelled)", {"stale"}),
    "look-caller": Mutant(MASTER, "    policy_look(r);\n    thread_wake", {"stale"}),
    "look-done": Mutant(MASTER, "    policy_look(&r->state);\n    u32 was", {"stale", "lost"}),
    "told-earlier": Mutant(REQUEST, "    policy_told(r);\n}", {"unflushed"}),
    "told-cancelled": Mutant(REQUEST, "            policy_told(r);\n", {"unflushed"}),
    "told-caller": Mutant(REQUEST, "    policy_told(r);\n    if (fall", {"unflushed"}),
    "told-awaited": Mutant(REQUEST, "    policy_told(&r->state);\n    policy_leave", {"unflushed", "lost", "shared"}),
    "told-asleep": Mutant(REQUEST, "    policy_told(&r->state);\n    return", {"unflushed", "shared", "discard"}),
    "told-done": Mutant(MASTER, "    policy_told(&r->state);\n    if (unlikely(was", {"unflushed", "shared", "discard"}),
    "told-left": Mutant(MASTER, "    policy_told(&r->state);\n}\n\n/* Store", {"unflushed", "shared", "discard"}),
    "page-to-write": Mutant(CALLS, "    policy_page(c.room, COMM_PAGE);\n", {"lost", "shared"}),
    "page-to-read": Mutant(CALLS, "        policy_page(c.room, c.size);\n", {"stale"}, instead="        (void)0;"),
    "page-written": Mutant(CALLS, "    noc_clean(c.room, COMM_PAGE);\n", {"unflushed"}),
    "page-read": Mutant(CALLS, "        noc_invalidate(c.room, c.size);\n", {"stale"}, "neighbours", instead="        (void)0;"),
    "publish": Mutant(LANE, "    noc_clean_line(l->ours);\n", {"unflushed"}, "meet"),
    "signal-told": Mutant(SIGNAL, "    noc_clean_line(word);\n", {"unflushed"}, "neighbours"),
    "tell": Mutant(LANE, "    noc_clean_line(ours);\n", {"unflushed"}, "neighbours"),
    "slot-written": Mutant(LANE, "    noc_clean_line(s);\n", {"unflushed"}, "neighbours"),
    "slot-written-whole": Mutant(
        LANE, "        noc_clean_line((const char *)s + at);\n", {"unflushed"}, "neighbours", instead="        (void)0;"
    ),
    "slot-read": Mutant(LANE, "    noc_invalidate_line(s);\n", {"stale"}, "neighbours"),
    "slot-read-whole": Mutant(
        LANE, "        noc_invalidate_line((const char *)s + at);\n", {"stale"}, "neighbours", instead="        (void)0;"
    ),
    "little-written": Mutant(SLOTS, "    noc_clean_line(s);\n", {"unflushed"}, "neighbours"),
    "little-read": Mutant(SLOTS, "        noc_invalidate_line(s);\n        if (READ_ONCE(s->number)", {"stale"}, "neighbours"),
    "notice-written": Mutant(NOTICE, "        noc_clean_line(s);\n", {"unflushed"}, "neighbours"),
    "notice-read": Mutant(NOTICE, "        noc_invalidate_line(s);\n", {"stale"}, "neighbours"),
    "lane-look": Mutant(LANE, "    noc_poll(h);\n    return", {"stale"}, "neighbours"),
    "owner-told": Mutant(OWNERS, "    noc_clean_line(line_for(node));\n", {"unflushed"}, "neighbours"),
    "signal-look": Mutant(SIGNAL, "    noc_poll(h);\n    u32 echo", {"stale"}, "meet"),
    "signal-drop": Mutant(SIGNAL, "    noc_poll(l->theirs);\n    if", {"stale"}, "meet"),
    "first-frame": Mutant("arch/riscv/cpu/context.c", "    cache_clean(sp, 3", {"unflushed"}),
}
UNREPORTED = [
    Mutant(REQUEST, "    policy_look(&r->state);\n    bool", set()),
    Mutant(REQUEST, "    policy_told(r);\n    struct", set()),
    Mutant(LANE, "    noc_poll(half);\n", set()),
    Mutant(OWNERS, "    noc_poll(line);\n", set()),
    Mutant(SLOTS, "        noc_invalidate_line((const char *)s + at);\n", set()),
    Mutant(SLOTS, "        noc_invalidate_line(s);\n        if (READ_ONCE(s->of)", set()),
]
"""All are needed, and no run here can show it. The first: this core has looked at the state some instructions before, and in these the master
would have to finish the request; but the emulator goes on to the master where this core waits, and it does not wait there. The second, a
mark under which the request arrives, is stored over and cleaned again at once; until then others only poll it, and for the checker a poll
that comes before the writer's clean is one that comes after it (docs/coherence.md). The third and the fourth look whether a cluster has
started again or a process has ended, and here none does. The last two are for mails that wait in their slots, and here none does."""
SHORT = ("give-data", "get-request", "everything-return", "look-state", "told-done", "page-to-read", "slot-written")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The programs of this test, made."""
    folder, machine, made = tmp_path_factory.mktemp("program"), MACHINES["riscv64"], {}
    for name in ("pair", "meet"):
        made[name] = str(folder / f"{name}.elf")
        words = ["-O2", str(Path(__file__).with_name(f"{name}.c")), "-o", made[name]]
        assert programs.compile_program(words, programs.toolchain(lambda _text: None, machine), machine) == 0
    return made


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    shutil.copytree(paths.ROOT / "kernel", folder / "kernel")
    for name in ("config", "tools"):
        (folder / name).symlink_to(paths.ROOT / name)
    return folder


def mutated(tree: Path, mutant: Mutant) -> Path:
    """Build the kernel from the copy, without the line."""
    path = tree / "kernel" / mutant.file
    text = path.read_text(encoding="utf-8")
    assert text.count(mutant.text) == 1, mutant
    at = text.index(mutant.text)
    path.write_text(text[:at] + mutant.instead + text[text.index("\n", at) :], encoding="utf-8")
    shape = f"cluster-{mutant.policy}"
    try:
        return built_copy(tree, shape)
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def check(running: Any, own: dict[str, str], tmp_path: Path) -> Callable[[str, str], coherence.Coherence]:
    def process(program: str, *arguments: str, power: str = "domain") -> dict[str, Any]:
        words = {"arguments": list(arguments)} if arguments else {}
        return {"domains": {"p": {"kind": "process", "program": program, "memory": "192K", "power": power, **words}}}

    def run(kernel: str, what: str) -> coherence.Coherence:
        """`kernel` as a system file has it; `what`: pair, which needs one cluster, or meet or neighbours, which need two."""
        program = own.get(what, "build:neighbours.elf")
        arguments = () if what in own else (what, str(ROUNDS))
        layout = {"io": {"kind": "io"} | process(program, *arguments, power="board")}
        layout |= {} if what == "pair" else {"c": process(program, *arguments)}
        system = {"system": f"caches-{what}", "board": "manycore", "kernel": kernel, "clusters": layout}
        path, out = tmp_path / "placed.yaml", tmp_path / "coherence"
        path.write_text(yaml.safe_dump(system, sort_keys=False), encoding="utf-8")
        placed = placed_system(path, True, lambda _text: None)
        with running(system, coherence.options(out, f"nc={placed.noc:x}:{placed.end:x}", CHECKED)) as board:
            assert board.wait(120) == 0, board.kernel.tail()
            text = board.consoles[0].text
        assert f"{what}: right" in text or "every message and page was right" in text, text
        return coherence.read(out)

    return run


@pytest.mark.parametrize("what", ["pair", "meet", "neighbours"])
@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_reported_of_a_policy_for_caches_that_are_not_coherent(check: Any, policy: str, what: str) -> None:
    found = check(f"shape:cluster-{policy}", what)
    assert not found.reports, found.kinds()
    assert found.accesses > 10_000


def test_the_policy_for_coherent_caches_is_reported_without_them(check: Any) -> None:
    assert {"unflushed", "unordered"} <= set(check("shape:cluster", "pair").kinds())


def test_every_operation_has_a_mutant() -> None:
    """But for those of policies, which are one line each, and noc.c's, which are all that calls of them do."""
    operation = re.compile(r"^\s+(?:if \(data\)\n\s+)?(?:policy_\w+|noc_clean\w*|noc_invalidate\w*|noc_poll|cache_\w+)\(", re.M)
    found = set()
    for file in (
        LANE,
        SLOTS,
        NOTICE,
        SIGNAL,
        OWNERS,
        "cluster/lane.c",
        "cluster/peer.c",
        REQUEST,
        MASTER,
        CALLS,
        RANGES,
        "arch/riscv/cpu/context.c",
    ):
        text = (paths.ROOT / "kernel" / file).read_text(encoding="utf-8")
        found |= {(file, match.start()) for match in operation.finditer(text)}
    mutants = set()
    for mutant in (*MUTANTS.values(), *UNREPORTED):
        text = (paths.ROOT / "kernel" / mutant.file).read_text(encoding="utf-8")
        assert text.count(mutant.text) == 1, mutant
        mutants.add((mutant.file, text.index(mutant.text)))
    assert mutants == found


@pytest.mark.parametrize("name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.full) for name in MUTANTS])
def test_an_operation_that_is_left_out_is_reported(check: Any, tree: Path, name: str) -> None:
    """The emulator's memory is coherent, so the programs themselves go on as if nothing were missing."""
    mutant = MUTANTS[name]
    build_kernel(f"cluster-{mutant.policy}", lambda _text: None)
    assert mutant.kinds & set(check(str(mutated(tree, mutant)), mutant.run).kinds())
