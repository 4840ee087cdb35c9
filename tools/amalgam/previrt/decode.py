# SPDX-License-Identifier: MIT
"""Instructions of the PPC405: which are privileged, which registers the common ones read and write, where branches go.

Only what the patcher needs.  `effect` knows the instructions that compilers use most; of any other it says
nothing, and whoever asks must then assume the worst.
"""

from __future__ import annotations

from typing import NamedTuple

PRIVILEGED_31 = {
    83: "mfmsr",
    146: "mtmsr",
    131: "wrtee",
    163: "wrteei",
    323: "mfdcr",
    451: "mtdcr",
    946: "tlbre",
    978: "tlbwe",
    914: "tlbsx",
    370: "tlbia",
    566: "tlbsync",
    454: "dccci",
    966: "iccci",
    998: "icread",
    486: "dcread",
    470: "dcbi",
}
UNPRIVILEGED_SPRS = {1, 8, 9, 256, 260, 261, 262, 263, 268, 269}
NAMES = {
    26: "SRR0", 27: "SRR1", 272: "SPRG0", 273: "SPRG1", 274: "SPRG2", 275: "SPRG3", 276: "SPRG4", 277: "SPRG5", 278: "SPRG6",
    279: "SPRG7", 284: "TBL", 285: "TBU", 287: "PVR", 944: "ZPR", 945: "PID", 947: "CCR0", 953: "SGR", 954: "DCWR", 955: "SLER",
    956: "SU0R", 980: "ESR", 981: "DEAR", 982: "EVPR", 984: "TSR", 986: "TCR", 987: "PIT", 990: "SRR2", 991: "SRR3", 1008: "DBSR",
    1010: "DBCR0", 1018: "DCCR", 1019: "ICCR",
}  # fmt: skip


def opcode(word: int) -> int:
    return word >> 26


def rt(word: int) -> int:
    return word >> 21 & 31


def ra(word: int) -> int:
    return word >> 16 & 31


def rb(word: int) -> int:
    return word >> 11 & 31


def xo(word: int) -> int:
    return word >> 1 & 0x3FF


def split(word: int) -> int:
    """The number of an SPR or DCR, whose halves are exchanged."""
    return ra(word) | rb(word) << 5


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def privileged(word: int) -> str | None:
    """The name of a privileged instruction."""
    if opcode(word) == 19 and xo(word) in (50, 51):
        return {50: "rfi", 51: "rfci"}[xo(word)] if word & 0x03FFF801 == 0 else None
    if opcode(word) != 31:
        return None
    if xo(word) in (339, 467):
        return {339: "mfspr", 467: "mtspr"}[xo(word)] if split(word) not in UNPRIVILEGED_SPRS and not word & 1 else None
    return PRIVILEGED_31.get(xo(word))


class Effect(NamedTuple):
    reads: frozenset[int]
    writes: frozenset[int]


def _effect(reads: list[int], writes: list[int]) -> Effect:
    return Effect(frozenset(reads), frozenset(writes))


def _base(word: int) -> list[int]:
    return [ra(word)] if ra(word) else []


LOADS, STORES = {32, 33, 34, 35, 40, 41, 42, 43}, {36, 37, 38, 39, 44, 45}
THREE = {266, 10, 138, 40, 8, 136, 235, 11, 75, 491, 459, 234, 202, 200, 232}  # rt = ra op rb; some ignore rb
LOGICAL = {28, 60, 124, 284, 316, 412, 444, 476, 24, 536, 792}  # ra = rt op rb
ONE = {26, 922, 954, 824}  # ra = op rt
INDEXED_LOADS, INDEXED_STORES = {23, 87, 279, 343, 20, 534, 790}, {151, 215, 407, 150, 662, 918}


def effect(word: int) -> Effect | None:
    """General registers that an instruction reads and writes; None if we do not know it. Branches are not for here."""
    op = opcode(word)
    if op in (14, 15):
        return _effect(_base(word), [rt(word)])
    if op in (7, 8, 12, 13):
        return _effect([ra(word)], [rt(word)])
    if op in (24, 25, 26, 27, 28, 29, 21):
        return _effect([rt(word)], [ra(word)])
    if op == 20:
        return _effect([rt(word), ra(word)], [ra(word)])
    if op in (10, 11, 3):
        return _effect([ra(word)], [])
    if op in LOADS:
        return _effect(_base(word), [rt(word)] + ([ra(word)] if op & 1 else []))
    if op in STORES:
        return _effect([*_base(word), rt(word)], [ra(word)] if op & 1 else [])
    if op == 46:
        return _effect(_base(word), list(range(rt(word), 32)))
    if op == 47:
        return _effect([*_base(word), *range(rt(word), 32)], [])
    return _effect_31(word) if op == 31 else None


def _effect_31(word: int) -> Effect | None:
    x = xo(word)
    if x in THREE or x & 0x1FF in THREE:
        return _effect([ra(word), rb(word)], [rt(word)])
    if x in LOGICAL:
        return _effect([rt(word), rb(word)], [ra(word)])
    if x in ONE:
        return _effect([rt(word)], [ra(word)])
    if x in INDEXED_LOADS:
        return _effect([*_base(word), rb(word)], [rt(word)])
    if x in INDEXED_STORES:
        return _effect([*_base(word), rb(word), rt(word)], [])
    if x in (0, 32, 4):
        return _effect([ra(word), rb(word)], [])
    if x in (339, 83, 19, 371):
        return _effect([], [rt(word)])
    if x in (467, 146, 131, 144):
        return _effect([rt(word)], [])
    if x in (598, 854, 163):
        return _effect([], [])
    return None


def branch(word: int, at: int) -> tuple[int | None, bool, bool] | None:
    """(target or None if computed, may it fall through, does it call) of a branch; None of anything else."""
    op = opcode(word)
    always = rt(word) & 0x14 == 0x14
    if op == 18:
        return (signed(word & 0x03FFFFFC, 26) + (0 if word & 2 else at)) & 0xFFFFFFFF, False, bool(word & 1)
    if op == 16:
        return (signed(word & 0xFFFC, 16) + (0 if word & 2 else at)) & 0xFFFFFFFF, not always, bool(word & 1)
    if op == 19 and xo(word) in (16, 528):
        return None, not always, bool(word & 1)
    return None
