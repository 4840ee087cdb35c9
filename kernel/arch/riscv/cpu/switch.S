/* SPDX-License-Identifier: MIT */
/* switch.S - stacks are exchanged. */
#include <arch/width.h>

    .macro SAVED op
    \op ra, 0 * WORD(sp)
    \op s0, 1 * WORD(sp)
    \op s1, 2 * WORD(sp)
    \op s2, 3 * WORD(sp)
    \op s3, 4 * WORD(sp)
    \op s4, 5 * WORD(sp)
    \op s5, 6 * WORD(sp)
    \op s6, 7 * WORD(sp)
    \op s7, 8 * WORD(sp)
    \op s8, 9 * WORD(sp)
    \op s9, 10 * WORD(sp)
    \op s10, 11 * WORD(sp)
    \op s11, 12 * WORD(sp)
    .endm

    .text
/* context_switch(from, to): callee-saved registers on the stack, stacks exchanged. */
    .globl context_switch
context_switch:
    addi sp, sp, -14 * WORD
    SAVED STORE
    STORE sp, (a0)
    LOAD sp, (a1)
    SAVED LOAD
    addi sp, sp, 14 * WORD
    ret

/* First resume of a thread: s0 = entry, s1 = its argument. */
    .globl context_start
context_start:
    mv a0, s1
    jalr s0
    unimp

/* call_on_stack(fn, arg, top): leave the boot stack for good. */
    .globl call_on_stack
call_on_stack:
    mv sp, a2
    mv t0, a0
    mv a0, a1
    jalr t0
    unimp

    .section .note.GNU-stack, "", @progbits
