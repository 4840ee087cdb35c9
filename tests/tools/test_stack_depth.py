# SPDX-License-Identifier: MIT
"""A kernel stack of one page (SMALL_STACKS) holds the deepest chain of calls that the compiler sees in the whole kernel.

What lies below a stack is not mapped, and an overflow is reported by name (tests/system/test_virt_faults.py); here is why there is none.
"""

from __future__ import annotations

import re
from functools import cache

import pytest
from amalgam.build.kernel import build_kernel

PAGE = 4096
WORDS = {"cluster": 8, "cluster32": 4, "cluster-spawn": 8, "cluster32-spawn": 4, "cluster-pages": 8, "cluster32-pages": 4}  # bytes
WORDS |= {"cluster-net": 8, "cluster32-net": 4, "cluster-remote": 8, "cluster32-remote": 4}
TRAP, SAVED = 36, 16  # words: an interrupted kernel's registers (arch/riscv/cpu/traps.S), those of who enters a program (user/entry.S)
POINTER = "__indirect_call"
# Where a stack begins, or goes on behind assembly. All others that no function calls by name are called by a pointer.
BOOT = {"arch_main", "hart_main", "boot_tables"}
THREADS = {"process_thread_body", "keeper", "monitor", "serve", "remote_work", "thread_begin"}
CALLS = {"process_blocking", "process_fast"}  # of a program
TRAPS = {"trap_dispatch", "trap_overflow"}

NODE = re.compile(r'^node: \{ title: "([^"]+)" label: "(?:[^"]*?\\n(\d+) bytes \((\w+))?', re.MULTILINE)
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.MULTILINE)


def plain(title: str) -> str:
    """A function's name without its file and the compiler's number."""
    return title.rpartition(":")[2].partition(".")[0]


class Calls:
    """What gcc's -fcallgraph-info=su says of one link."""

    def __init__(self, text: str) -> None:
        nodes = NODE.findall(text)
        assert {kind for _, _, kind in nodes} <= {"static", ""}, "a stack frame without a fixed size"
        self.size = {title: int(size or 0) for title, size, _ in nodes}
        self.copy = {plain(title): title for title in self.size}  # equal copies of a function are one in the image
        self.callees: dict[str, set[str]] = {}
        for caller, callee in EDGE.findall(text):
            if plain(caller) != plain(callee):  # clear_entries() calls itself, once a level of page tables, when a process is destroyed
                self.callees.setdefault(caller, set()).add(callee)
        called = {callee for callees in self.callees.values() for callee in callees}
        self.pointed = {title for title in self.size if title not in called and plain(title) not in BOOT | THREADS | CALLS | TRAPS}

    @cache  # noqa: B019
    def depth(self, function: str, pointers: int = 1) -> int:
        """Bytes of the deepest chain from `function` on, with at most so many calls by a pointer, of anything, in it."""
        if function == POINTER:
            return max(self.depth(target, pointers - 1) for target in self.pointed) if pointers else 0
        function = function if function in self.size else self.copy[plain(function)]
        return self.size[function] + max((self.depth(callee, pointers) for callee in self.callees.get(function, ())), default=0)

    def deepest(self, names: set[str]) -> int:
        return max(self.depth(title) for title in self.size if plain(title) in names)


def needed(calls: Calls, word: int) -> int:
    """A thread at its deepest, which is interrupted, and the interrupt at its deepest: a fault of the kernel that prints itself."""
    body = calls.size[calls.copy["thread_begin"]] + calls.size[calls.copy["process_thread_body"]]
    thread = max(body + SAVED * word + calls.deepest(CALLS), calls.deepest(THREADS), calls.deepest(BOOT))
    return thread + TRAP * word + calls.deepest(TRAPS)


@pytest.mark.parametrize("shape", sorted(WORDS))
def test_a_page_holds_the_deepest_chain_of_calls_and_a_report_of_a_fault_there(shape: str) -> None:
    kernel = build_kernel(shape, lambda _text: None)
    [graph] = kernel.parent.glob("stage1*.ci")
    calls = Calls(graph.read_text(encoding="utf-8"))
    assert 2048 < needed(calls, WORDS[shape]) <= PAGE, needed(calls, WORDS[shape])
