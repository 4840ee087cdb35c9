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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from amalgam import paths
from amalgam.board.records import Layout, layout_of
from amalgam.corefile import EXEC, PAGE, READ, SIGNALS, WRITE, Core, Piece, Thread, write_core
from amalgam.errors import UserError
from amalgam.system.model import Domain, DomainFlag, Kind, System

GIB = 1 << 30
PAGE_SHIFT, LARGE_SHIFT = 12, 21
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
X86_ORDER = ("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi")


def x86_registers(user: dict[str, Any]) -> list[int]:
    """orig_rax is -1: not in a call. DS, ES, FS, GS and GS base are 0."""
    frame = user["frame"]
    before, behind = [frame[name] for name in X86_ORDER], [frame[name] for name in ("rip", "cs", "rflags", "rsp", "ss")]
    return [*before, (1 << 64) - 1, *behind, user["fs_base"], *[0] * 5]


FXSAVE, X87, SSE = 512, 1, 2  # bytes of the area's first part, which is Linux' elf_fpregset_t; bits of XSTATE_BV, the word behind it
X87_RESET = bytes.fromhex("7f03").ljust(24, b"\0")


def x86_floating(area: bytes, has_header: bool) -> bytes:
    """An FXSAVE image of an XSAVE area: a part that was in its reset state need not have been written (APM volume 1, 11.5.7)."""
    parts = int.from_bytes(area[FXSAVE:], "little") if has_header else X87 | SSE
    control, masks = area[:24], area[24:32]
    x87, sse = area[32:160], area[160:FXSAVE]
    if not parts & X87:
        control, x87 = X87_RESET, bytes(len(x87))
    return control + masks + x87 + (sse if parts & SSE else bytes(len(sse)))


@dataclass(frozen=True)
class Cpu:
    """What differs by the processor."""

    number: int  # e_machine
    base: int  # USER_BASE and USER_END of kernel/arch/*/arch/space*.h
    end: int
    shift: int  # an entry of the top-level table stands for 1 << shift bytes
    root: str  # the member of struct space that is that table
    frame: int  # bits of an entry that are an address ...
    left: int  # ... which is so far to the right
    leaf: int  # bits of an entry above the last level of which one is set if it is a page's and no table's
    write: int
    may_run: Callable[[int], bool]  # by its entry
    registers: Callable[[dict[str, Any]], list[int]]  # of struct user, in the order of Linux' user_regs_struct
    area: int  # bytes of struct fpu's area that are looked at
    floating: Callable[[bytes, bool], bytes]  # Linux' elf_fpregset_t of them; whether there is XSAVE
    ram: int  # the board's first address of memory, and, where it goes on at 4 GiB, how much lies below
    low: Callable[[int], int]
    gdb: str


CPUS = {
    "EM_X86_64": Cpu(
        62,
        0x8000000000,
        0x10000000000,
        39,
        "level4",
        0x000FFFFFFFFFF000,
        0,
        0x80,
        2,
        lambda entry: not entry >> 63,
        x86_registers,
        FXSAVE + 8,
        x86_floating,
        0,
        lambda memory: memory if memory < 0xB0000000 else 2 * GIB,  # QEMU's q35
        "gdb",
    ),
    "EM_RISCV": Cpu(
        243,
        0x1000000000,
        0x2000000000,
        30,
        "root",
        0x003FFFFFFFFFFC00,
        2,
        0xE,
        4,
        lambda entry: bool(entry & 8),
        lambda user: user["frame"]["x"],  # by number; the program counter is where x0 would be, here as there
        33 * 8,
        lambda area, _header: area,  # f0 to f31, fcsr
        0x80000000,
        lambda memory: memory,
        "gdb-multiarch",
    ),
}


def held(system: System) -> None:
    """No process of the system starts again by itself after a fault."""
    for domain in system.domains:
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
        if layout.machine not in CPUS or layout.bits != 64 or "processes" not in layout.symbols:
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
        process = self.record(self.image("processes") + index * self.layout.sizes["process"], ("struct", "process"))
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
            self.offset(where, 1 << shift)
            rights = READ | (WRITE if entry & self.cpu.write else 0) | (EXEC if self.cpu.may_run(entry) else 0)
            for piece in range(0, 1 << shift, PAGE):
                yield address + piece, rights, where + piece
