# SPDX-License-Identifier: MIT
"""Instructions of a PowerPC 405 that pre-virtualization writes, and those that it looks for behind each other."""

from __future__ import annotations

from amalgam.previrt.decode import ra, rb, rt

PAGE = -0x1000  # the register page as a displacement
CALLS = -0x2000  # the page of calls
REGISTERS = 0x03FFF800  # of an instruction: the fields that name registers, if all three do
TLBWE_LOW, TLBWE_HIGH, TLBSX, MTPID = 0x7C000FA4, 0x7C0007A4, 0x7C000725, 0x7C11EBA6


class PrevirtError(Exception):
    """The file cannot be pre-virtualized."""


def lwz(register: int, displacement: int) -> int:
    return 32 << 26 | register << 21 | displacement & 0xFFFF


def stw(register: int, displacement: int) -> int:
    return 36 << 26 | register << 21 | displacement & 0xFFFF


def call(number: int) -> int:
    """stb r0, number(calls)"""
    return 38 << 26 | (CALLS + number) & 0xFFFF


def trap_unless_0(register: int) -> int:
    return 3 << 26 | 24 << 21 | register << 16


def clear_ee(register: int) -> int:
    return 21 << 26 | register << 21 | register << 16 | 17 << 6 | 15 << 1


def jump(source: int, target: int) -> int:
    distance = target - source
    if not -0x2000000 <= distance < 0x2000000:
        raise PrevirtError("is larger than a branch reaches: the stubs must be within 32 MiB of the code")
    return 18 << 26 | distance & 0x03FFFFFC


def is_mtpid(word: int) -> bool:
    return word & ~(31 << 21) == MTPID and rt(word) > 1


def writes_entry(low: int, high: int = 0) -> bool:
    """Two tlbwe, of the low and of the high word of one entry."""
    fields = ~(REGISTERS & ~0xF800) & 0xFFFFFFFF
    return low & fields == TLBWE_LOW and high & fields == TLBWE_HIGH and ra(low) == ra(high)


def looks_up(first: int, search: int, last: int) -> bool:
    """mtspr PID, tlbsx. rt, 0, rb, mtspr PID"""
    plain = search & ~REGISTERS == TLBSX & ~REGISTERS and not ra(search)
    return is_mtpid(first) and plain and min(rt(search), rb(search)) > 1 and is_mtpid(last)
