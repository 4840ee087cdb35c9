# SPDX-License-Identifier: MIT
"""Turn `nm -n` output on stdin into the kernel's symbol table (assembly on stdout).

The table lets a panic say function+offset (kernel/arch/*/backtrace.c). It is placed behind all other
constants, so that linking it in does not move what it describes. No input gives an empty table.
"""
import re
import sys

IMAGE_BASE = 0xFFFFFFFF80000000


def main() -> None:
    """Read, sort, print."""
    functions: dict[int, str] = {}
    for line in sys.stdin:
        match = re.match(r"([0-9a-f]{16}) [tT] ([A-Za-z_]\S*)", line)
        if match and int(match[1], 16) >= IMAGE_BASE:
            functions.setdefault(int(match[1], 16) - IMAGE_BASE, match[2])
    offsets, names, position, places = [], [], 0, []
    for offset in sorted(functions):
        offsets.append(offset)
        places.append(position)
        names.append(functions[offset])
        position += len(functions[offset]) + 1
    out = ['.section .symtab_k, "a"', ".balign 8"]
    for label, values in (("symtab_count", [len(offsets)]), ("symtab_offset", offsets), ("symtab_name", places)):
        out.append(f".globl {label}\n{label}:")
        out += [f"    .long {v}" for v in values]
    out.append(".globl symtab_names\nsymtab_names:")
    out += [f'    .asciz "{n}"' for n in names]
    out.append('.section .note.GNU-stack, "", @progbits')
    print("\n".join(out))


if __name__ == "__main__":
    main()
