/* SPDX-License-Identifier: MIT */
/* switch_software.S - the first instructions of a new context, whose stack has entry and argument (switch_software.c). */
    .text
    .globl switch_start
switch_start:
    pop %ebx
    pop %esi
    jmp context_start

    .section .note.GNU-stack, "", @progbits
