# SPDX-License-Identifier: MIT
"""Core files of processes that died by a fault, from the memory of their board after the run.

The kernel leaves a process that faulted as it was until it starts again: its pages, the tables that show them, and each thread's
registers. So a run that is to have core files restarts no process after a fault (held()), and keeps the board's memory in a file of
ours (Memory), which is still there when the emulator has ended.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from amalgam import paths
from amalgam.binary.corefile import EXEC, PAGE, READ, SIGNALS, WRITE, Core, Piece, Thread, write_core
from amalgam.board.dead_cpu import CPUS, GIB
from amalgam.board.records import Layout, layout_of
from amalgam.errors import UserError
from amalgam.system.model import Domain, DomainFlag, Kind, System

PAGE_SHIFT, LARGE_SHIFT = 12, 21
MEDIUM = 1 << 16  # a page that has 16 entries
END_FAULT, FREE = 6, 0  # enum domain_end, enum process_thread_state
MOST_THREADS = 64
AT_PHDR, AT_PHENT, AT_PHNUM, AT_PAGESZ, AT_BASE, AT_ENTRY = 3, 4, 5, 6, 7, 9
REASON = re.compile(r"thread (\d+): (.+) at \S+, address ([0-9a-f]+)")
CAUSES = {  # what a fault's name has in it (trap_name() in kernel/arch/), and the signal that Linux makes of it
    "opcode": "SIGILL",
    "illegal": "SIGILL",
    "divide": "SIGFPE",
    "floating": "SIGFPE",
    "x87": "SIGFPE",
    "SIMD": "SIGFPE",
    "breakpoint": "SIGTRAP",
    "debug": "SIGTRAP",
    "misaligned": "SIGBUS",
    "alignment": "SIGBUS",
}


def held(system: Any) -> None:
    """No process of the system starts again by itself after a fault. Of another family it is left alone: its machine refuses --core."""
    for domain in system.domains if isinstance(system, System) else []:
        if domain.kind == Kind.PROCESS:
            domain.flags &= ~DomainFlag.RESTART_ON_FAULT


class Damaged(Exception):
    """A record that cannot be: why."""


class Memory:
    """The memory of a board, in a file without a name that is an emulator's as long as it runs: `with` it."""

    def __init__(self, size: int):
        self.size = size
        self.file = os.memfd_create("amalgam-board")
        os.ftruncate(self.file, size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.file)

    def write_cores(self, system: System, kernel: Path, folder: Path) -> list[str]:
        """A core file for each process that a fault has ended and nobody has started since; the board does not run. Returns what to
        type to look at them."""
        with mmap.mmap(self.file, self.size, access=mmap.ACCESS_READ) as ram:
            reader = Reader(ram, self.size, layout_of(kernel, kernel.stat().st_mtime_ns))
            written = []
            for index, domain in enumerate(system.domains):
                if domain.kind != Kind.PROCESS or not reader.died(index):
                    continue
                path = folder / f"{domain.name}.core"
                try:
                    write_core(reader.core(index, domain), reader.page, path)
                except Damaged as error:
                    raise UserError(
                        f"no core file of '{domain.name}': its record in the board's memory is damaged ({error})",
                        "the kernel's console says where it died; docs/debugging.md",
                    ) from error
                program = domain.kernel.path if domain.kernel and domain.kernel.path else Path("PROGRAM")
                written.append(f"{reader.cpu.gdb} {paths.shown(program)} {paths.shown(path)}")
            return written


class Reader:
    """A board's memory, as the kernel that ran there has laid it out. Every address and count is looked at before it is followed."""

    def __init__(self, ram: Any, size: int, layout: Layout):
        if layout.machine not in CPUS or layout.bits != 64 or "process" not in layout.sizes:
            raise UserError("core files are of processes on 64-bit boards", "leave out --core")
        self.ram, self.size, self.layout = ram, size, layout
        self.cpu = CPUS[layout.machine]
        self.linear = self.record(self.image("linear_offset"), ("number", 8)) if "linear_offset" in layout.symbols else 0

    def offset(self, address: int, n: int) -> int:
        """Where `n` bytes from a physical address on are in the file."""
        low = self.cpu.low(self.size)
        at = address - self.cpu.ram
        if at >= 4 * GIB > low:
            at -= 4 * GIB - low
        elif at + n > low:
            at = -1
        if at < 0 or at + n > self.size:
            raise Damaged(f"{address:#x} is no address of the board's memory")
        return at

    def image(self, symbol: str) -> int:
        """The physical address of a variable of the kernel."""
        address = self.layout.symbols[symbol]
        return next(physical + address - start for start, size, physical in self.layout.loads if start <= address < start + size)

    def record(self, address: int, kind: Any) -> Any:
        """A record at a physical address: ("struct", name) or ("number", bytes)."""
        size = self.layout.sizes[kind[1]] if kind[0] == "struct" else kind[1]
        return self.layout.value(self.ram, self.offset(address, size), kind)

    def page(self, address: int) -> bytes:
        at = self.offset(address, PAGE)
        return self.ram[at : at + PAGE]

    def domain(self, index: int) -> dict[str, Any]:
        return self.record(self.image("domains") + index * self.layout.sizes["domain"], ("struct", "domain"))

    def died(self, index: int) -> bool:
        return self.domain(index)["end"] == END_FAULT

    def core(self, index: int, domain: Domain) -> Core:
        """All of a process that died."""
        process = self.record(self.domain(index)["impl"] - self.linear, ("struct", "process"))
        if process["domain"] != self.layout.symbols["domains"] + index * self.layout.sizes["domain"]:
            raise Damaged("it is of another domain")
        text = bytes(self.domain(index)["reason"]).split(b"\0")[0].decode(errors="replace")
        reason = REASON.fullmatch(text)
        if not reason:
            raise Damaged(f"how it died is told as {text!r}")
        signal = next((name for word, name in CAUSES.items() if word in reason[2]), "SIGSEGV")
        return Core(
            self.cpu.number,
            domain.name,
            " ".join(domain.arguments),
            SIGNALS[signal],
            int(reason[3], 16),
            self.threads(process, int(reason[1])),
            self.vector(process["program"]),
            self.pieces(process),
        )

    def threads(self, process: dict[str, Any], faulted: int) -> list[Thread]:
        """Those that had not ended, the one that faulted first."""
        if not 0 < process["n"] <= MOST_THREADS:
            raise Damaged(f"it has {process['n']} threads")
        found = []
        for number in range(process["n"]):
            at = process["thread"] - self.linear + number * self.layout.sizes["process_thread"]
            record = self.record(at, ("struct", "process_thread"))
            if record["number"] != number:
                raise Damaged(f"thread {number} says that it is {record['number']}")
            if record["state"] != FREE:
                found.append(Thread(number, self.cpu.registers(record["user"]), self.floating(record["thread"])))
        if faulted not in [thread.number for thread in found]:
            raise Damaged(f"thread {faulted}, which faulted, had ended before")
        return sorted(found, key=lambda thread: thread.number != faulted)

    def floating(self, thread: int) -> bytes:
        """The extended registers of a thread of the kernel's, saved when it ended."""
        at = thread - self.linear + self.layout.members["thread"]["fpu"][0]
        fpu = self.record(self.record(at, ("number", 8)) - self.linear, ("struct", "fpu"))
        start = self.offset(fpu["area"] - self.linear, self.cpu.area)
        return self.cpu.floating(self.ram[start : start + self.cpu.area], any(fpu.get("xcr0", {}).values()))

    def vector(self, program: dict[str, Any]) -> list[tuple[int, int]]:
        """As the process found it on its stack."""
        base = self.cpu.base
        headers = base + program["headers"] if program["headers"] else 0
        return [
            (AT_PHDR, headers),
            (AT_PHENT, 56),
            (AT_PHNUM, program["n_headers"]),
            (AT_PAGESZ, PAGE),
            (AT_BASE, base),
            (AT_ENTRY, base + program["entry"]),
        ]

    def pieces(self, process: dict[str, Any]) -> list[Piece]:
        """What the process's tables show, neighbours together."""
        found: list[Piece] = []
        self.tables_left = process["size"] // PAGE + process["space"]["pages"]
        self.large_left = process["size"] >> LARGE_SHIFT
        for address, rights, where in self.walk(process["space"][self.cpu.root] - self.linear, self.cpu.shift, self.cpu.base, self.cpu.end):
            last = found[-1] if found else None
            if last and last.rights == rights and last.address + len(last.pages) * PAGE == address:
                last.pages.append(where)
            else:
                found.append(Piece(address, rights, [where]))
        if not found:
            raise Damaged("its tables show no page")
        return found

    def walk(self, table: int, shift: int, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The pages of [start, end) below a table of entries of 1 << shift bytes: address, rights, physical address."""
        self.tables_left -= 1
        if self.tables_left < 0:
            raise Damaged("its tables are more than it has memory for")
        entries = memoryview(self.page(table)).cast("Q")
        for address in range(start, end, 1 << shift):
            entry = entries[address >> shift & 511]
            if not entry & 1:  # nothing, or a lazy page that was never accessed
                continue
            where = (entry & self.cpu.frame) << self.cpu.left
            if shift > PAGE_SHIFT and not entry & self.cpu.leaf:
                yield from self.walk(where, shift - 9, address, address + (1 << shift))
                continue
            if shift > LARGE_SHIFT:
                raise Damaged(f"the entry for {address:#x} is no table's")
            self.large_left -= shift == LARGE_SHIFT
            if self.large_left < 0:
                raise Damaged("its large pages are more than it has memory for")
            if shift == PAGE_SHIFT and entry & self.cpu.several:
                where = where // MEDIUM * MEDIUM + address % MEDIUM
            self.offset(where, 1 << shift)
            rights = READ | (WRITE if entry & self.cpu.write else 0) | (EXEC if self.cpu.may_run(entry) else 0)
            for piece in range(0, 1 << shift, PAGE):
                yield address + piece, rights, where + piece
