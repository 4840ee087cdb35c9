# SPDX-License-Identifier: MIT
"""What `amalgam cc --openmp` does to a program that was linked: user/openmp/ answers for the rest.

- A flush is a locked instruction of five bytes, `lock orl $0,(%esp)`: a call of the runtime's function takes its place.
- The compiler's thread-local variables are relative to GS, which is the kernel's: the prefix becomes that of FS.
- Any other locked instruction is refused: between caches that are not coherent it would be atomic for one core only."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FLUSH = bytes.fromhex("f0830c2400")
FLUSHES = "omp_flush_here"  # user/openmp/start/entry.S, as this one:
OWN = ("omp_test_and_set",)
GS, FS = 0x65, 0x64
PREFIXES = (0x66, 0x67, 0xF0, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65)
INSTRUCTION = re.compile(r"\s+([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)")


@dataclass(frozen=True)
class Instruction:
    at: int  # address, which in these programs is the place in the first segment
    code: bytes
    text: str
    function: str


def instructions(elf: Path) -> Iterator[Instruction]:
    words = ["i686-linux-gnu-objdump", "-dw", str(elf)]
    function = "?"
    for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
        if found := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            function = found[1]
        elif found := INSTRUCTION.match(line):
            yield Instruction(int(found[1], 16), bytes.fromhex(found[2]), found[3].strip(), function)


def is_locked(text: str) -> bool:
    """XCHG with memory locks without being asked."""
    if exchange := re.match(r"xchg\w*\s+(\S+)", text):
        return not re.fullmatch(r"%\w+,%\w+", exchange[1])
    return bool(re.match(r"(\w+ )*lock\b", text))


def offsets(elf: Path) -> tuple[int, int]:
    """Where the code lies in the file, less its address; and the address of the runtime's flush."""
    headers = subprocess.run(["i686-linux-gnu-readelf", "-lWs", str(elf)], capture_output=True, text=True, check=True).stdout
    load = re.search(r"LOAD\s+0x(\w+) 0x(\w+)", headers)
    flush = re.search(rf"\d+: (\w+) .* {FLUSHES}$", headers, re.MULTILINE)
    if not load or not flush:
        raise ValueError(f"{elf} has no code, or is not linked with user/openmp")
    return int(load[1], 16) - int(load[2], 16), int(flush[1], 16)


def prepare(elf: Path) -> str:
    """Rewrite a program in its file. Returns what is wrong with it; then the file is as it was."""
    data = bytearray(elf.read_bytes())
    try:
        move, flush = offsets(elf)
    except ValueError as error:
        return str(error)
    for i in instructions(elf):
        if i.code == FLUSH:
            new = b"\xe8" + ((flush - i.at - len(FLUSH)) & 0xFFFFFFFF).to_bytes(4, "little")
        elif is_locked(i.text) and i.function not in OWN:
            return f"it has a locked instruction at {i.at:#x} in {i.function}: {i.text}"
        elif "%gs:" in i.text:
            new = replace_prefix(i.code)
        else:
            continue
        data[i.at + move : i.at + move + len(i.code)] = new
    elf.write_bytes(data)
    return ""


def replace_prefix(code: bytes) -> bytes:
    """The same instruction relative to FS."""
    end = next(n for n, byte in enumerate(code) if byte not in PREFIXES)
    return bytes(FS if byte == GS else byte for byte in code[:end]) + code[end:]
