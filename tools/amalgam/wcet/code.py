# SPDX-License-Identifier: MIT
"""What one instruction word of the 405 does to the control flow, and its cost in each model.

Only branches need decoding here, so no disassembler stands between: PPC405 User's Manual, chapter 2.6 and appendix A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OP_SC, OP_BC, OP_B, OP_XL, OP_X = 17, 16, 18, 19, 31
XL_BCLR, XL_RFI, XL_RFCI, XL_BCCTR = 16, 50, 51, 528
ALWAYS = 0x14  # BO: branch whatever CTR and CR say


@dataclass(frozen=True)
class Step:
    """Where control goes from an instruction."""

    falls: bool = True  # to the next word
    target: int | None = None  # a branch's address
    call: bool = False  # it sets LR: the target returns
    leaves: bool = False  # blr, rfi, rfci: the routine may end here
    indirect: bool = False  # through CTR


def decode(address: int, word: int) -> Step:
    """The step of the instruction `word` at `address`."""
    op = word >> 26
    if op == OP_B:
        offset = (word & 0x03FFFFFC) - (0x04000000 if word & 0x02000000 else 0)
        target = (offset if word & 2 else address + offset) & 0xFFFFFFFF
        return Step(falls=bool(word & 1), target=target, call=bool(word & 1))
    if op == OP_BC:
        offset = (word & 0xFFFC) - (0x10000 if word & 0x8000 else 0)
        target = (offset if word & 2 else address + offset) & 0xFFFFFFFF
        always = (word >> 21) & ALWAYS == ALWAYS
        return Step(falls=not always or bool(word & 1), target=target, call=bool(word & 1))
    if op == OP_XL:
        kind, always = (word >> 1) & 0x3FF, (word >> 21) & ALWAYS == ALWAYS
        if kind in (XL_RFI, XL_RFCI):
            return Step(falls=False, leaves=True)
        if kind == XL_BCLR:
            if word & 1:
                return Step(indirect=True, call=True)
            return Step(falls=not always, leaves=True)
        if kind == XL_BCCTR:
            return Step(falls=not always or bool(word & 1), indirect=True, call=bool(word & 1))
    return Step()


def one(_word: int) -> int:
    """The paper's model: hot instruction cache, one cycle an instruction (paper 3.3)."""
    return 1


MULTIPLY, DIVIDE = {75, 11, 235, 40, 8}, {459, 491}
LOADS = {32, 33, 34, 35, 40, 41, 42, 43}
LOADS_X = {23, 55, 87, 119, 279, 311, 343, 375, 534, 790}
LMW, STMW = 46, 47
SYNC_X, ISYNC = {598, 854}, 150


def pipeline(word: int) -> int:
    """A 405's five-stage pipeline with cache hits (PPC405 UM, appendix on instruction timing): a load is used at once,
    a branch is not predicted, multiples take a cycle a register, context changes refill the pipeline."""
    op, xo = word >> 26, (word >> 1) & 0x3FF
    if op in (LMW, STMW):
        return 33 - ((word >> 21) & 31)
    if op in LOADS or (op == OP_X and xo in LOADS_X):
        return 2
    if op == 7 or (op == OP_X and xo in MULTIPLY):
        return 5
    if op == OP_X and xo & 0x1FF in DIVIDE:
        return 35
    if op in (OP_B, OP_BC, OP_SC) or (op == OP_XL and xo in (XL_BCLR, XL_BCCTR)):
        return 3
    if op == OP_XL and xo in (XL_RFI, XL_RFCI, ISYNC):
        return 6
    if op == OP_X and xo in SYNC_X:
        return 4
    return 1


MODELS: dict[str, Callable[[int], int]] = {"instructions": one, "405": pipeline}
