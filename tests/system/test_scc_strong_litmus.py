# SPDX-License-Identifier: MIT
"""Litmus tests of a guest whose vCPUs are on several cores of an SCC (guests/ring1/stronglitmus.c): the outcomes are those of one memory, and the
coherence checker has nothing to report. A guest with memory that is not shared, and a kernel without an invalidate, show that both can fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.binary.codenames import Names
from amalgam.measure import coherence
from support import said
from test_svm_caches import END, GIVE, LINES, TAKE, WORDS, kernel, tree  # noqa: F401 - tree is a fixture
from test_svm_litmus import NEVER, allowed, threads_of

ROUNDS, ROUNDS_FULL = 30, 100
CHECKED, CHECKED_FULL, CHECKED_WRONG = 2, 20, 4  # rounds under the checker, each of which takes seconds
HERE = Path(__file__).parents[2] / "guests/ring1/stronglitmus.c"
KNOWN = NEVER | {
    "sb+fences": NEVER["sb"],
    "sb+xchg": r"0000/..",
    "lb+fences": NEVER["lb"],
    "iriw+fences": NEVER["iriw"],
    "xchgs": r"0.0./..",
}
SHADOW = (
    "arch/x86/para/strong.c",
    "            shadow_forget_in(v->shadow, &v->shadow->space[p->va[i] & ~ENTRY_FRAME], p->va[i]);\n    p->n = 0;",
)
Seen = dict[str, dict[str, int]]


def shapes() -> dict[str, tuple[str, ...]]:
    return threads_of(HERE)


def system(cores: tuple[int, ...], words: str) -> dict[str, Any]:
    guest = {"kernel": "build:stronglitmus.elf", "memory": "2M", "strong": "128K", "ues": list(cores), "power": "board", "cmdline": words}
    return {"system": "litmus", "board": "scc-strong", "domains": {"guest": guest}}


def outcomes(boot: Any, cores: tuple[int, ...], words: str, **more: Any) -> Seen:
    seen: Seen = {}
    with boot(system(cores, words), icount=True, chosen=cores, **more) as board:
        said(board, "guest", f"litmus: {len(cores)} vCPUs: done", 300)
        text = board["guest"].text
    for shape, outcome, count in re.findall(r"^litmus: (\S+) (\d*/\d\d) (\d+)", text, re.MULTILINE):
        seen.setdefault(shape, {})[outcome] = int(count)
    return seen


def wrong(seen: Seen) -> dict[str, set[str]]:
    return {shape: more for shape, found in seen.items() if (more := set(found) - allowed(shapes()[shape]))}


def test_what_a_shape_is_known_for_is_in_no_order() -> None:
    assert set(shapes()) <= set(KNOWN)
    for name, threads in shapes().items():
        assert not [outcome for outcome in allowed(threads) if re.fullmatch(KNOWN[name], outcome)], name


@pytest.mark.parametrize("cores", [pytest.param((0, 5), id="two"), pytest.param((0, 9, 46, 47), id="four", marks=pytest.mark.full)])
def test_vcpus_of_several_cores_have_one_memory(boot: Any, full: bool, cores: tuple[int, ...]) -> None:
    rounds = ROUNDS_FULL if full and len(cores) == 2 else ROUNDS
    seen = outcomes(boot, cores, str(rounds))
    for shape, found in seen.items():
        print(f"{shape}: {len(found)} of {len(allowed(shapes()[shape]))} outcomes:", *(f"{k} {n}" for k, n in found.items()))
    assert set(seen) == {shape for shape, threads in shapes().items() if len(threads) <= len(cores)}
    assert all(sum(found.values()) == rounds for found in seen.values())
    assert wrong(seen) == {}
    assert all(len(found) > 1 for found in seen.values())


def test_memory_that_is_not_shared_has_other_outcomes(boot: Any) -> None:
    assert {"mp", "sb"} <= set(wrong(outcomes(boot, (0, 5), f"{ROUNDS} private")))


@pytest.fixture
def checked(boot: Any, tree: Path, tmp_path: Path) -> Any:  # noqa: F811
    def run(rounds: int, without: tuple[str, str] | None = None) -> tuple[Seen, coherence.Coherence, set[tuple[str, str, str]]]:
        more = {"kernel": kernel(tree, "scc-strong", without)} if without else {}
        out = tmp_path / "coherence"
        words = coherence.options(out, "line=32", f"mpbt={LINES:x}:{END:x}", f"flag={WORDS:x}:{LINES:x}")
        seen = outcomes(boot, (0, 5), str(rounds), extra=words, **more)
        found, names = coherence.read(out), Names([more.get("kernel", paths.kernel_elf("scc-strong"))])
        return seen, found, {r.functions(names) for r in found.reports}

    return run


def test_nothing_is_reported_of_a_guest_on_several_cores(checked: Any, full: bool) -> None:
    rounds = CHECKED_FULL if full else CHECKED
    seen, found, places = checked(rounds)
    print(found.accesses)
    assert places == set()
    assert wrong(seen) == {}
    assert found.accesses > rounds * len(seen) * 4


@pytest.mark.parametrize(
    ("without", "kind"),
    [
        pytest.param(TAKE, "stale", id="invalidate"),
        pytest.param(GIVE, "unflushed", id="drain", marks=pytest.mark.full),
        pytest.param(SHADOW, "stale", id="shadow", marks=pytest.mark.full),
    ],
)
def test_a_kernel_that_leaves_a_flush_out_is_reported(checked: Any, without: tuple[str, str], kind: str) -> None:
    """What its cache has of a page's last stay, when it comes; what is in the write-combining buffer, and what shadows have of it, when it goes."""
    seen, found, _places = checked(CHECKED_WRONG, without)
    assert wrong(seen) == {}
    assert kind in found.kinds()
