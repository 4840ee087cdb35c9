# SPDX-License-Identifier: MIT
"""Random guests in ring 1, one after the other on a core that has nothing else to do: they end themselves only, and of all memory
change only what is theirs and what the kernel writes for any guest."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam import paths
from amalgam.board.board import Board
from amalgam.board.dead import Memory
from amalgam.board.monitor import await_monitor, command
from amalgam.board.records import Layout, layout_of
from elftools.elf.elffile import ELFFile
from support import after, ended, listed, settled

SHAPE = "i586-linux"
LIVES, LIVES_FULL = 200, 40_000  # of some twelve random things each
PAGE = 4096
RAM = 64 << 20
TABLES = 9 + 96  # SHADOW_PAGES of kernel/arch/x86/para/shadow.h
OF_THREADS = 4  # a record and a stack of each life's thread, and of the one before, which waits to be freed
GUEST = {"memory": "8M", "autostart": False}
SYSTEM = {
    "system": "ring1-hostile",
    "board": SHAPE,
    "cores": 1,
    "memory": "64M",
    "domains": {
        "before": GUEST | {"kernel": "build:calls.elf"},
        "hostile": GUEST | {"kernel": "build:hostile.elf", "restart": ["reset", "fault"], "watchdog": "3ms"},
        "behind": GUEST | {"kernel": "build:storm.elf"},
    },
}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(RAM) as memory:
        yield memory


@pytest.fixture
def board(boot: Any, memory: Memory) -> Iterator[Board]:
    with boot(SYSTEM, icount=True, ram=memory.file) as board:  # the pause before a restart takes no time of the host's
        await_monitor(board)
        yield board


def pages(start: int, size: int) -> set[int]:
    return set(range(start // PAGE, (start + size + PAGE - 1) // PAGE))


def of_the_image(elf: Path, variables: bool) -> set[int]:
    """The pages of the kernel's variables, or those of its code and constants but for what only its start needs."""
    with elf.open("rb") as file:
        loaded = [s for s in ELFFile(file).iter_sections() if s["sh_flags"] & 2 and s["sh_size"] and not s.name.startswith(".init")]
        return set().union(*(pages(s["sh_addr"], s["sh_size"]) for s in loaded if bool(s["sh_flags"] & 1) == variables))


def own(ram: mmap.mmap, layout: Layout, name: str) -> set[int]:
    """A domain's memory, and the pages of its vCPU."""
    index = list(SYSTEM["domains"]).index(name)
    domain = layout.read(ram, layout.symbols["domains"] + index * layout.sizes["domain"], "domain")
    vm = layout.read(ram, domain["impl"], "vm")
    places = vm["memory"]["range"][: vm["memory"]["n"]]
    assert sum(place["size"] for place in places) == 8 << 20
    vcpu = vm["vcpu"][0]
    hal = layout.read(ram, vcpu, "hal_vcpu")
    shadow = (layout.sizes["shadow"] + PAGE - 1) // PAGE + TABLES
    found = set().union(*(pages(place["host"], place["size"]) for place in places))
    found |= pages(hal["shadow"], shadow * PAGE)
    found |= {hal[page] // PAGE for page in ("state", "regs", "shared")}
    return found | {vcpu // PAGE} | pages(domain["impl"], layout.sizes["vm"])


def changed(before: bytes, after: bytes) -> set[int]:
    return {n for n in range(RAM // PAGE) if before[n * PAGE : (n + 1) * PAGE] != after[n * PAGE : (n + 1) * PAGE]}


def live(board: Board, lives: int) -> None:
    """So many lives of the hostile guest, and its end."""
    command(board, "start hostile")
    last = int(listed(board, "hostile")["restarts"])
    wanted = last + lives - 1
    while last < wanted:
        restarts = int(listed(board, "hostile")["restarts"])
        if restarts == last and " blocked " in command(board, "stats hostile"):  # it has halted where nothing wakes it, which is no fault
            command(board, "restart hostile")
        last = restarts
    command(board, "stop hostile")
    settled(board, "hostile")


def lives_quietly(board: Board, name: str) -> None:
    """Lives of a guest that leaves in all ways but does nothing wrong; threads of the kernel come and go with them."""
    after(board, f"start {name}", name, "hostile: storm")
    for _ in range(4):
        command(board, f"stats {name}")
        after(board, f"restart {name}", name, "hostile: storm")
    command(board, f"stop {name}")
    assert settled(board, name)["end"] == "stopped: by the control console"


@pytest.mark.timeout(0)
def test_random_guests_change_no_memory_but_their_own(board: Board, memory: Memory, full: bool) -> None:
    """What the kernel writes for any guest is what it writes for two that do nothing wrong, its variables, and pages that its
    threads have had, which were nobody's before and are not known afterwards."""
    elf = paths.kernel_elf(SHAPE)
    layout = layout_of(elf, elf.stat().st_mtime_ns)
    with mmap.mmap(memory.file, RAM, access=mmap.ACCESS_READ) as ram:
        begin = bytes(ram)
        for _ in range(3):
            assert ended(board, "before", 120) == "power-off: the guest powered off"
            lives_quietly(board, "behind")
        rest = bytes(ram)
        live(board, LIVES_FULL if full else LIVES)
        now = bytes(ram)
        theirs = own(ram, layout, "hostile")
        others = own(ram, layout, "before") | own(ram, layout, "behind")
    assert not theirs & others
    usual = changed(begin, rest) - others
    foreign = changed(rest, now) - theirs - usual - of_the_image(elf, True)
    somebodys = foreign & (others | of_the_image(elf, False))
    assert not somebodys, [hex(n * PAGE) for n in sorted(somebodys)]
    assert len(foreign) <= OF_THREADS, [hex(n * PAGE) for n in sorted(foreign)]
    assert changed(rest, now) & theirs
    assert ended(board, "before", 120) == "power-off: the guest powered off"
    lives_quietly(board, "behind")
    assert "PANIC" not in board.kernel.text and "FAULT" not in board.kernel.text
