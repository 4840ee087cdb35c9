/* SPDX-License-Identifier: MIT */
/*
 * vector_table.h - for assembly files of both widths: VECTOR_RANGE label, from, last, to, which repeats the width's
 * VECTOR, and the table that descriptors.c fills the IDT with.
 */
    .macro VECTOR_RANGE name, from, last, to
    .set i, \from
    .rept \last - \from + 1
    VECTOR \name, %i, \to
    .set i, i + 1
    .endr
    .endm
    .macro VECTOR_ENTRY n
    VECTOR_WORD vector_\n
    .endm
    .macro VECTOR_ENTRIES from, last
    .set i, \from
    .rept \last - \from + 1
    VECTOR_ENTRY %i
    .set i, i + 1
    .endr
    .endm
/* Vectors 0-31, 240-255, and the entry of all others. */
    .macro VECTOR_TABLE
    .section .rodata
    .balign 8
    .globl vector_table
vector_table:
    VECTOR_ENTRIES 0, 31
    VECTOR_ENTRIES 240, 255
    VECTOR_WORD vector_unexpected
    .endm
