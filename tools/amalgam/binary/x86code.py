# SPDX-License-Identifier: MIT
"""Where the instructions of 32-bit x86 code begin: their lengths by the opcode maps (Intel Software Developer's Manual vol. 2, appendix A), and no more.

A sweep from a section's first byte to its last, as a disassembler makes it. What is no instruction counts as one byte.
"""

from __future__ import annotations

from collections.abc import Iterator

PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3))
MODRM, BYTE, WORD, WIDE, FAR, OFFSET, BAD = 1, 2, 4, 8, 16, 32, 64
GROUP3 = 128  # a constant behind the operand only for TEST


def _one_byte() -> list[int]:
    kinds = [0] * 256
    for low in range(0, 0x40, 8):  # arithmetic: four forms with ModRM, two with constants
        kinds[low : low + 6] = [MODRM] * 4 + [BYTE, WIDE]
    for op in (0x62, 0x63, *range(0x84, 0x90), 0xC4, 0xC5, *range(0xD0, 0xD4), *range(0xD8, 0xE0), 0xFE, 0xFF):
        kinds[op] = MODRM
    for op in (0x69, 0x81, 0xC7):
        kinds[op] = MODRM | WIDE
    for op in (0x6B, 0x80, 0x82, 0x83, 0xC0, 0xC1, 0xC6):
        kinds[op] = MODRM | BYTE
    for op in (0x6A, *range(0x70, 0x80), 0xA8, *range(0xB0, 0xB8), 0xCD, 0xD4, 0xD5, *range(0xE0, 0xE8), 0xEB):
        kinds[op] = BYTE
    for op in (0x68, 0xA9, *range(0xB8, 0xC0), 0xE8, 0xE9):
        kinds[op] = WIDE
    for op in range(0xA0, 0xA4):
        kinds[op] = OFFSET
    kinds[0x9A] = kinds[0xEA] = FAR
    kinds[0xC2] = kinds[0xCA] = WORD
    kinds[0xC8] = WORD | BYTE
    kinds[0xF6], kinds[0xF7] = GROUP3 | MODRM | BYTE, GROUP3 | MODRM | WIDE
    return kinds


def _two_bytes() -> list[int]:
    kinds = [MODRM] * 256
    for op in (*range(0x05, 0x0A), 0x0B, 0x0E, *range(0x30, 0x38), 0x77, *range(0xA0, 0xA3), *range(0xA8, 0xAB), *range(0xC8, 0xD0)):
        kinds[op] = 0
    for op in (*range(0x70, 0x74), 0x0F, 0xA4, 0xAC, 0xBA, 0xC2, 0xC4, 0xC5, 0xC6):
        kinds[op] = MODRM | BYTE
    for op in range(0x80, 0x90):
        kinds[op] = WIDE
    for op in (0x04, 0x0A, 0x0C, 0x25, 0x27, 0x36, 0x39, *range(0x3B, 0x40), 0xA6, 0xA7):
        kinds[op] = BAD
    return kinds


ONE, TWO = _one_byte(), _two_bytes()


def operand(code: bytes, at: int, small: bool) -> int:
    """The bytes of ModRM and what belongs to it; `small`: addresses of 16 bits."""
    mode, base = code[at] >> 6, code[at] & 7
    if mode == 3:
        return 1
    if small:
        return 1 + (2 if mode == 2 or (mode == 0 and base == 6) else mode)
    sib = base == 4
    if sib:
        base = code[at + 1] & 7
    return 1 + sib + (4 if mode == 2 or (mode == 0 and base == 5) else mode)


def length(code: bytes, start: int) -> tuple[int, int]:
    """(bytes of the instruction at `start`, of which prefixes). The code goes on for 16 bytes behind it."""
    at = start
    word = small = False
    while code[at] in PREFIXES and at - start < 14:
        word |= code[at] == 0x66
        small |= code[at] == 0x67
        at += 1
    prefixes = at - start
    op = code[at]
    at += 1
    kind = ONE[op]
    if op == 0x0F:
        op = code[at]
        at += 1
        kind = TWO[op]
        if op in (0x38, 0x3A):
            kind = MODRM | (BYTE if op == 0x3A else 0)
            at += 1
    if kind & BAD:
        return 1, 0
    if kind & GROUP3 and code[at] & 0x30:
        kind = MODRM
    if kind & MODRM:
        at += operand(code, at, small)
    at += (1 if kind & BYTE else 0) + (2 if kind & WORD else 0)
    if kind & (WIDE | FAR):
        at += 2 if word else 4
    if kind & FAR:
        at += 2
    if kind & OFFSET:
        at += 2 if small else 4
    return at - start, prefixes


def sweep(code: bytes) -> Iterator[tuple[int, int, int]]:
    """(place, of the opcode behind its prefixes, length) of each instruction."""
    padded, at = code + bytes(16), 0
    while at < len(code):
        n, prefixes = length(padded, at)
        yield at, at + prefixes, n
        at += n
