# SPDX-License-Identifier: MIT
"""Turn `nm -n`, `readelf --debug-dump=frames-interp` and `objdump -d` of a kernel, one after the other on stdin, into
its tables of symbols and frames (assembly on stdout).

The tables let a panic say who called whom, function+offset (kernel/arch/*/backtrace.c), without a frame pointer: for
each call the compiler's own frame information says how far its function's return address is. They are placed behind
all other constants, so that linking them in does not move what they describe. --init-apart puts names that only .init.text
has behind that section's constants, and frees them with it. No input gives empty tables, --no-names an empty one of symbols.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable

STACK = ("esp", "rsp", "sp")  # the stack pointer's names
# core_start is the only resident function that does, before it drops .init.text; what lies at image_start is no code but the
# loader's header, with the entry's address in it.
CALLS_INIT = ("core_start", "image_start")
NO_CALLER = 255  # assembly code that keeps no frame: the first function of a stack
UNKNOWN = 254  # the frame's size is not fixed

MARK = re.compile(r"([0-9a-f]+) \w (image_start|text_end|init_start|init_end)$")
SYMBOL = re.compile(r"([0-9a-f]+) [tT] ([A-Za-z_]\S*)")
# The compiler's suffix of a local copy says nothing to a reader, nor does which of two back ends it is of that knows no other (twins.mk).
COPY = re.compile(r"(\.(lto_priv|constprop|isra|part)\.\d+)+$|__(amdv|vtx)(?=\.|$)")
FUNCTION = re.compile(r"[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
FRAME = re.compile(r"([0-9a-f]{8}|[0-9a-f]{16}) ([ers]\w+)\+(\d+)\s")
# x86: bytes with blanks between them, a call of any kind; RISC-V: one number, and a jump that keeps the return address in ra.
CALL = re.compile(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+\s*\tcall|[0-9a-f]+ +\t(?:jal\t(?!zero)|jalr\t(?!zero)))")
WITHIN = re.compile(r"[0-9a-f]+ <([^>]+)>:")
JUMP = re.compile(r"\s*[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t(?:call|j\w+) +([0-9a-f]+) <([^>]+)>")
JUMP_RISCV = re.compile(r"\s*[0-9a-f]+:\t[0-9a-f]+ +\t[bj]\w*\t(?:\w+,)*([0-9a-f]+) <([^>]+)>")


class Frames:
    """Distance from the stack pointer to the return address, in words, from each address on."""

    def __init__(self) -> None:
        self.word = 8
        self.depth: dict[int, int] = {}
        self.sorted: list[int] = []

    def function(self, start: int, end: int) -> None:
        self.depth[start] = 0
        self.depth.setdefault(end, NO_CALLER)

    def row(self, address: int, register: str, offset: int) -> None:
        words = offset // self.word - 1
        if words >= UNKNOWN:
            sys.exit(f"symtab: the frame at {address:x} has {words} words, which does not fit the table")
        self.depth[address] = words if register in STACK else UNKNOWN

    def at(self, address: int) -> int:
        if len(self.sorted) != len(self.depth):
            self.sorted = sorted(self.depth)
        before = bisect_right(self.sorted, address) - 1
        return self.depth[self.sorted[before]] if before >= 0 else NO_CALLER


class Mismatch:
    """Resident code must not go to code that is freed after boot."""

    def __init__(self) -> None:
        self.section = self.function = ""
        self.found: list[str] = []
        self.marks: dict[str, int] = {}

    def look(self, line: str) -> None:
        if line.startswith("Disassembly of section "):
            self.section = line.split()[-1]
        elif match := WITHIN.match(line):
            self.function = match[1]
        elif self.section == ".text:" and self.function not in CALLS_INIT and (match := JUMP.match(line) or JUMP_RISCV.match(line)):
            gone = self.marks["init_start"] <= int(match[1], 16) < self.marks["init_end"]
            self.found += [f"{self.function} calls {match[2]}"] if gone else []


def length(code: str) -> int:
    """Bytes of an instruction as objdump shows it, with what follows."""
    shown = code.partition("\t")[0].split()
    return len(shown) if len(shown) > 1 else len(shown[0]) // 2


def read(lines: Iterable[str], init_stays: bool = False) -> tuple[dict[int, str], list[tuple[int, int]]]:
    """Functions by offset from image_start; (offset of a call's last byte, depth there) wherever the depth changes.
    `init_stays`: nothing is freed after boot, so that it may be called."""
    functions: dict[int, str] = {}
    frames = Frames()
    mismatch = Mismatch()
    calls: list[tuple[int, int]] = []
    for line in lines:
        mismatch.look(line)
        if match := CALL.match(line):
            depth = frames.at(start := int(match[1], 16))
            if not calls or calls[-1][1] != depth:
                calls.append((start + length(match[2]) - 1, depth))
        elif match := FRAME.match(line):
            frames.word = len(match[1]) // 2
            frames.row(int(match[1], 16), match[2], int(match[3]))
        elif match := FUNCTION.match(line):
            frames.function(int(match[1], 16), int(match[2], 16))
        elif match := MARK.match(line):
            mismatch.marks[match[2]] = int(match[1], 16)
        elif match := SYMBOL.match(line):
            functions.setdefault(int(match[1], 16), COPY.sub("", match[2]))
    if mismatch.found and not init_stays:
        sys.exit(f"symtab: what stays calls what is freed after boot (__init_text): {', '.join(mismatch.found)}")
    if calls and not frames.depth:
        sys.exit("symtab: the kernel has no .debug_frame, so no call knows its caller (the compiler's -fno-unwind-tables)")
    base = mismatch.marks.get("image_start", 0)
    return {at - base: name for at, name in functions.items()}, [(at - base, depth) for at, depth in calls]


def place(names: Iterable[str]) -> dict[str, int]:
    """Where each of these names begins in an area of them."""
    position: dict[str, int] = {}
    end = 0
    for name in dict.fromkeys(names):
        position[name] = end
        end += len(name) + 1
    if end > 1 << 16:
        sys.exit("symtab: names beyond 64 KiB do not fit the table")
    return position


def first_freed(lines: Iterable[str]) -> int:
    """The offset of .init.text from image_start; beyond everything if there is none."""
    marks = {match[2]: int(match[1], 16) for line in lines if (match := MARK.match(line))}
    return marks["init_start"] - marks["image_start"] if "init_start" in marks else 1 << 32


def main() -> None:
    """Read, sort, print."""
    lines = list(sys.stdin)
    functions, calls = read(lines, "--init-stays" in sys.argv[1:])
    freed = first_freed(lines) if "--init-apart" in sys.argv[1:] else 1 << 32
    if calls and calls[-1][0] >= 1 << 24:
        sys.exit("symtab: calls beyond 16 MiB do not fit the table")
    if "--no-names" in sys.argv[1:]:
        functions = {}
    stay = place(functions[offset] for offset in sorted(functions) if offset < freed)
    go = place(functions[offset] for offset in sorted(functions) if offset >= freed)
    tables = {
        "symtab_count": [len(functions)],
        "symtab_offset": sorted(functions),
        "symtab_calls": [len(calls)],
        "symtab_call": [at << 8 | depth for at, depth in calls],
    }
    out = ['.section .symtab_k, "a"', ".balign 8"]
    for label, values in tables.items():
        out.append(f".globl {label}\n{label}:")
        out += [f"    .long {v}" for v in values]
    out.append(".globl symtab_name\nsymtab_name:")
    out += [f"    .short {(stay if offset < freed else go)[functions[offset]]}" for offset in sorted(functions)]
    out.append(".globl symtab_names\nsymtab_names:")
    out += [f'    .asciz "{name}"' for name in stay]
    if "--init-apart" in sys.argv[1:]:
        out.append('.section .init.rodata, "a"\n.globl symtab_init_names\nsymtab_init_names:')
        out += [f'    .asciz "{name}"' for name in go]
    out.append('.section .note.GNU-stack, "", @progbits')
    print("\n".join(out))


if __name__ == "__main__":
    main()
