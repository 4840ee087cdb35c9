# SPDX-License-Identifier: MIT
"""Page tables of a guest in ring 1, as kernel/arch/x86/para/walk.c walks them, for gdb's script; without gdb, for its test.

The tables are the guest's and may be anything: two are looked at, and nothing is read outside of the guest's own memory."""

P, W, U, PS = 1, 2, 4, 0x80
PAGED, LARGE = 1 << 31, 1 << 4  # of CR0, of CR4
PAGE = 4096


class NowhereError(Exception):
    """There is no memory at an address, and why."""


def host_of(ranges, gpa, what):
    """Where a guest-physical address lies in the kernel's memory; `ranges`: (guest-physical, bytes, where)."""
    for base, size, at in ranges:
        if 0 <= gpa - base < size:
            return at + gpa - base
    raise NowhereError(f"{what} is {gpa:#x} of the guest's memory, which has nothing there")


def translate(read, ranges, registers, va):
    """(guest-physical address, rights) of an address of the guest's; `read` gets a word of the kernel's memory; `registers`: CR0, CR3, CR4."""
    cr0, cr3, cr4 = registers
    if not cr0 & PAGED:
        return va, "no paging"
    directory = read(host_of(ranges, cr3 & ~0xFFF, "the page directory") + 4 * (va >> 22))
    if not directory & P:
        raise NowhereError(f"entry {va >> 22} of the page directory, {directory:#010x}, is not present")
    rights, gpa = directory, directory & ~0x3FFFFF | va & 0x3FFFFF
    if not (directory & PS and cr4 & LARGE):
        index = va >> 12 & 1023
        entry = read(host_of(ranges, directory & ~0xFFF, f"the page table of {va:#x}") + 4 * index)
        if not entry & P:
            raise NowhereError(f"entry {index} of the page table, {entry:#010x}, is not present")
        rights, gpa = rights & entry, entry & ~0xFFF | va & 0xFFF
    return gpa, ("program" if rights & U else "kernel") + (", written" if rights & W else ", read only")


def pieces(va, n):
    """A range of addresses by pages, with none beyond 4 GiB."""
    end = min(va + n, 1 << 32)
    while va < end:
        length = min(end - va, PAGE - va % PAGE)
        yield va, length
        va += length
