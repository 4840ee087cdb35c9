/* SPDX-License-Identifier: MIT */
/* switch.S - stacks are exchanged. */
#include <arch/saved.h>

    .text
/* context_switch(from, to): callee-saved registers on the stack, stacks exchanged. */
    .globl context_switch
context_switch:
    addi sp, sp, -SAVED_SIZE
    SAVED STORE
    STORE sp, (a0)
    LOAD sp, (a1)
    SAVED LOAD
    addi sp, sp, SAVED_SIZE
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
