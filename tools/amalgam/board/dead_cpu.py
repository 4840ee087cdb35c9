# SPDX-License-Identifier: MIT
"""What a core file needs to know of a processor and its board (dead.py): where a process lies, what its tables look like, and its
registers in Linux' order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

GIB = 1 << 30
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
    several: int  # the bit of a last-level entry that is set if it is one of 16 of one page (Svnapot); 0: there is none
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
        0,
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
        1 << 63,
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
