# SPDX-License-Identifier: MIT
"""A system call handler whose beginning need not run in real mode.

Handlers of 40x kernels begin untranslated, find their stack by physical addresses, and `rfi` to a place and an MSR that they
load as constants. What they do until then can as well be done translated, where that place is, with the linear mapping's
addresses: then the hypervisor delivers the system call there, and the rfi is not needed. Only the simplest shape is taken:
a straight line without stores, each load before the addition that makes its base a linear address.
"""

from __future__ import annotations

from dataclasses import dataclass

from amalgam.previrt.code import Code
from amalgam.previrt.decode import branch, effect, opcode, privileged, ra, rt, split, xo

VECTOR = 0xC00
LONGEST, BEHIND = 24, 8
SRR0, SRR1 = 26, 27
MSR_CLEAR, MSR_SET = 0x4C000, 0x30  # WE, EE, PR; IR, DR
LOADS = (32, 34, 40, 42)


@dataclass
class Entry:
    words: list[int]  # original instructions, in their new order, without the rfi; then those that it went to, up to a branch
    target: int  # where that leads
    msr: int


def straight(code: Code) -> list[int] | None:
    """The handler up to its rfi, if nothing leads into it or out of it."""
    found: list[int] = []
    at = code.distance + VECTOR
    while len(found) < LONGEST and (word := code.words.get(at)) is not None:
        if word == 0x4C000064:
            return found
        if branch(word, at) or (found and at in code.targets):
            return None
        found.append(word)
        at += 4
    return None


def constants(words: list[int]) -> tuple[list[int], dict[int, int]] | None:
    """The words without the moves to SRR0 and SRR1, and what was moved."""
    known: dict[int, int] = {}
    kept, moved = [], {}
    for word in words:
        if opcode(word) == 31 and xo(word) == 467 and split(word) in (SRR0, SRR1):
            if rt(word) not in known:
                return None
            moved[split(word)] = known[rt(word)]
            continue
        does = effect(word)
        if does is None or opcode(word) in (36, 37, 38, 39, 44, 45, 47) or xo(word) == 467 and opcode(word) == 31:
            return None
        value = None
        if opcode(word) == 15 and not ra(word):
            value = (word & 0xFFFF) << 16
        elif opcode(word) == 24 and rt(word) in known:
            value = known[rt(word)] | word & 0xFFFF
        for register in does.writes:
            known.pop(register, None)
        if value is not None:
            known[next(iter(does.writes))] = value
        kept.append(word)
    return (kept, moved) if set(moved) == {SRR0, SRR1} else None


def linear(words: list[int], distance: int) -> list[int] | None:
    """Each load behind the addition of `distance` to its base."""
    done: list[int] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if opcode(word) in LOADS:
            base = ra(word)
            after = rest.pop(0) if rest else 0
            if after != 15 << 26 | base << 21 | base << 16 | distance >> 16 or rt(word) == base:
                return None
            done.append(after)
        elif opcode(word) == 31 and xo(word) in (20, 23, 55, 87, 119, 279, 311, 343, 375, 534, 790) or opcode(word) in (33, 35, 41, 43, 46):
            return None
        done.append(word)
    return done


def alive(words: list[int]) -> list[int]:
    """Without what sets a register that is set again before it is read."""
    wanted, kept = set(range(32)), []
    for word in reversed(words):
        does = effect(word)
        assert does
        if does.writes & wanted:
            kept.append(word)
            wanted = (wanted - does.writes) | does.reads
    return kept[::-1]


def onward(code: Code, target: int) -> tuple[list[int], int]:
    """Instructions from where the rfi went up to a plain branch, and where that goes: they can as well follow at once."""
    found: list[int] = []
    for at in range(target, target + 4 * BEHIND, 4):
        word = code.words.get(at)
        if word is None:
            break
        leads = branch(word, at)
        if leads and leads[0] is not None and not leads[1] and not leads[2]:
            return found, leads[0]
        if leads or effect(word) is None or privileged(word):
            break
        found.append(word)
    return [], target


def find(code: Code) -> Entry | None:
    words = straight(code)
    parts = constants(words) if words else None
    moved = linear(parts[0], code.distance) if parts else None
    if not parts or not moved:
        return None
    body, target, msr = alive(moved), parts[1][SRR0], parts[1][SRR1]
    saved = {split(w) for w in body[:2] if opcode(w) == 31 and xo(w) == 339}
    if saved != {SRR0, SRR1} or msr & MSR_CLEAR or msr & MSR_SET != MSR_SET or target not in code.words:
        return None
    more, target = onward(code, target)
    return Entry(body + more, target, msr)
