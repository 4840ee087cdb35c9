/* SPDX-License-Identifier: MIT */
/* vectors.h - entry stubs of vectors, for assembly files: VECTOR_RANGE label, from, last, to; and their table. */
    .altmacro
/*
 * Push the vector in two bytes (from 128 on as a negative number) and jump to `to`, which is near. An interrupt may
 * have the vector, from 16 on, of an exception that pushes an error code, but pushes none. The processor aligns the
 * stack to 16 at the entry (APM vol. 2, 8.9.3), so the stack's alignment tells.
 */
    .macro VECTOR name, n, to
\name\()\n:
    .if (\n == 17) || (\n == 21) || (\n == 29) || (\n == 30)
    test $8, %spl
    jz 1f
    push $0
1:
    .endif
    .if (\n != 8) && (\n != 10) && (\n != 11) && (\n != 12) && (\n != 13) && (\n != 14) && (\n != 17) && (\n != 21) && (\n != 29) && (\n != 30)
    push $0
    .endif
    .if \n < 128
    push $\n
    .else
    push $\n - 256
    .endif
    jmp \to
    .endm
    .macro VECTOR_RANGE name, from, last, to
    .set i, \from
    .rept \last - \from + 1
    VECTOR \name, %i, \to
    .set i, i + 1
    .endr
    .endm
/* What descriptors.c fills the IDT with: vectors 0-31, 240-255, and the entry of all others. */
    .macro VECTOR_ENTRY n
    .quad vector_\n
    .endm
    .macro VECTOR_ENTRIES from, last
    .set i, \from
    .rept \last - \from + 1
    VECTOR_ENTRY %i
    .set i, i + 1
    .endr
    .endm
    .macro VECTOR_TABLE
    .section .rodata
    .balign 8
    .globl vector_table
vector_table:
    VECTOR_ENTRIES 0, 31
    VECTOR_ENTRIES 240, 255
    .quad vector_unexpected
    .endm
