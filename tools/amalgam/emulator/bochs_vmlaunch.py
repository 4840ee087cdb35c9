# SPDX-License-Identifier: MIT
"""Mends VMLAUNCH and VMRESUME in a copy of Bochs 2.7, with which no guest whose interrupts are off is preempted otherwise.

As VMRUN (bochs_vmrun.py), an entry computes from the guest's state what interrupts are let through before it sets the flag that says that
the processor is in guest mode. So they wait for the guest's IF, though the control "external-interrupt exiting" is set (SDM volume 3, 25.6.1).

Here the flag is set where it was, and the computation is made once more behind it, in as many bytes: the instructions that were there
looked whether an INIT is pending before they asked the processor to look at its events; now it always looks.
"""

from __future__ import annotations

import re
import struct

from .bochs_vmrun import function

ENTRY = "_ZN8BX_CPU_C8VMLAUNCHEP15bxInstruction_c"  # of both instructions
COMPUTE = "_ZN8BX_CPU_C25handleInterruptMaskChangeEv"
ORDER = re.compile(
    rb"(?P<unmask>\x83\xa3.{4}\xfb)"  # andl: let INIT through
    rb"(?P<guest>\xc6\x83.{4}\x01)"  # movb $1: in guest mode
    rb"\xf6\x83.{4}\x04\x74\x0a"  # testb; je: no INIT is pending
    rb"(?P<look>\xc7\x83.{4}\x01\0\0\0)",  # movl $1: look at events
    re.DOTALL,
)


def with_computation(old: re.Match[bytes], at: int, compute: int) -> bytes:
    """The instructions instead of `old`, which lie at address `at`; `compute` is the address of the function."""
    new = old["guest"] + b"\x48\x89\xdf\xe8"  # mov %rbx,%rdi; call
    new += struct.pack("<i", compute - (at + len(new) + 4)) + old["unmask"] + old["look"] + b"\x90"
    assert len(new) == len(old[0])
    return new


def mended(program: bytes) -> bytes | None:
    """The program that computes once more; None: it does not have these instructions once."""
    entry, compute = function(program, ENTRY), function(program, COMPUTE)
    if not entry or not compute:
        return None
    found = list(ORDER.finditer(program, entry.offset, entry.offset + entry.size))
    if len(found) != 1:
        return None
    at = entry.address + found[0].start() - entry.offset
    return program[: found[0].start()] + with_computation(found[0], at, compute.address) + program[found[0].end() :]
