# SPDX-License-Identifier: MIT
"""A kernel for i386 that was not built for ring 1, made fit for it: one byte put at each instruction that would not trap there and should.

The processor executes PUSHF, POPF, IRET and CPUID in ring 1 without a word, but not as in ring 0. In place of each comes an instruction
that traps and that the kernel has nowhere else (kernel/api/para.yaml, x86/para/patched.c). No instruction changes its length.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from pathlib import Path

from amalgam.api import para
from amalgam.artifacts.store import key, publish, recipe
from amalgam.binary import x86code

EXECUTABLE, PROGBITS = 4, 1
HEADER = 52  # bytes of an ELF file's of 32 bits
OURS = b"\0amalgam\0"  # the early parameter of guests/linux586/para/amalgam.c
BANNER = re.compile(rb"Linux version (\S+) [^\0]*?(#\d+ [^\0\n]*)")
MACH = re.compile(rb"\0(GNU Mach [\w.+-]+)")  # it has drivers of Linux 2.0, and so its banner
CMOV = range(0x40, 0x50)


class Native:
    """The code of a kernel: where its instructions are that need a byte, and what else is known of it."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        self.linux = BANNER.search(image)
        self.mach = MACH.search(image)
        self.ours = OURS in image
        self.places: dict[int, int] = {}  # offset in the file: the byte
        self.cmov = self.stand_ins = 0
        self.code = 0  # bytes
        if self.ours or not self.linux:
            return
        stands = {s["of"]: (s["opcode"], s.get("second")) for s in para.load()["stand_ins"]}
        for offset, size in sections(image):
            self.code += size
            self.scan(offset, image[offset : offset + size], stands)

    def scan(self, offset: int, code: bytes, stands: Mapping[int, tuple[int, int | None]]) -> None:
        """`stands`: what stands for an opcode, and the byte behind the opcode if not all of its instructions are meant."""
        taken = {opcode for opcode, _ in stands.values()}
        for start, at, _ in x86code.sweep(code):
            op, following = code[at], code[at + 1 : at + 2]
            if op == 0x0F and following and following[0] in CMOV:
                self.cmov += 1
            if op in taken and not {0xF2, 0xF3} & set(code[start:at]):
                self.stand_ins += 1
            if op in stands:
                byte, second = stands[op]
                if second is None or following == bytes([second]):
                    self.places[offset + at] = byte

    def wrong(self) -> str:
        """Why it can be no guest, or nothing."""
        if self.mach:
            return "it is no Linux, of which alone it is known how to patch it"
        if not self.code:
            return "it has no table of sections, by which its code is found"
        if self.cmov:
            return f"it is compiled for processors since 1995 ({self.cmov} times CMOV), and a Pentium is older"
        if self.linux and b" SMP" in self.linux[2]:
            return "it is compiled for several processors (CONFIG_SMP)"
        if self.stand_ins:
            return f"it has {self.stand_ins} INS or OUTS without REP, which here stand for other instructions"
        return ""

    def patched(self) -> bytes:
        made = bytearray(self.image)
        for offset, byte in self.places.items():
            made[offset] = byte
        return bytes(made)

    def native(self) -> bool:
        """Whether it is a Linux that knows nothing of ring 1."""
        return bool(self.linux) and not self.ours

    def name(self) -> str:
        """What it says that it is, of a native one."""
        said = self.mach[1] if self.mach else b"Linux " + self.linux[1] if self.linux else b""
        return said.decode("ascii", "replace")

    def file(self, cache: Path) -> Path:
        """It with its bytes in place, in the cache."""

        def build(target: Path) -> None:
            target.write_bytes(self.patched())

        return publish(cache, f"patched586-{key(recipe(__file__), para.SOURCE, Path(x86code.__file__), self.image)}", build)


def sections(image: bytes) -> list[tuple[int, int]]:
    """(offset, size) of the sections of an ELF file of 32 bits that have code, as far as they lie in it."""
    if len(image) < HEADER:
        return []
    table, (size, number) = struct.unpack_from("<I", image, 32)[0], struct.unpack_from("<2H", image, 46)
    found = []
    for i in range(number if size == 40 and table + 40 * number <= len(image) else 0):
        _, kind, flags, _, offset, length = struct.unpack_from("<6I", image, table + 40 * i)
        if kind == PROGBITS and flags & EXECUTABLE and offset + length <= len(image):
            found.append((offset, length))
    return found
